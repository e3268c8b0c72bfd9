-- The weighted prefix-filter join in SQL alone, over the table t (id, tokens int8[]) and the
-- variable threshold, by idf_jaccard: weigh tokens by rarity, join on the heaviest ones of each
-- set, add up what the candidates share.
CREATE TEMP TABLE occurrence AS SELECT id, unnest(tokens) AS token FROM t;
CREATE TEMP TABLE weight AS
SELECT token, round(ln((SELECT count(*) FROM t)::float8 / count(*)) * 65536)::int8 AS weight FROM occurrence GROUP BY token;
CREATE TEMP TABLE weighed AS
SELECT id, token, weight, sum(weight) OVER (PARTITION BY id) AS total,
       sum(weight) OVER (PARTITION BY id ORDER BY weight, token) AS rest
FROM occurrence JOIN weight USING (token);
CREATE TEMP TABLE prefix AS SELECT id, token, total FROM weighed WHERE rest >= :threshold::numeric * total AND rest > 0;
ANALYZE weighed, prefix;
CREATE TEMP TABLE candidate AS
SELECT DISTINCT x.id AS a, y.id AS b, x.total + y.total AS totals
FROM prefix AS x JOIN prefix AS y USING (token)
WHERE x.id < y.id AND x.total >= :threshold::numeric * y.total AND y.total >= :threshold::numeric * x.total;
ANALYZE candidate;
SELECT count(*) FROM (
    SELECT a, b FROM candidate
    JOIN weighed AS x ON x.id = a
    JOIN weighed AS y ON y.id = b AND y.token = x.token
    GROUP BY a, b, totals
    HAVING sum(x.weight) >= :threshold::numeric * (totals - sum(x.weight))) AS pair;
