-- The prefix-filter join (SSJoin) in SQL alone, over the table t (id, tokens
-- int8[]) and the variable threshold: rank tokens by frequency, join on the
-- rarest ones of each set, count what the candidates share.
CREATE TEMP TABLE occurrence AS SELECT id, cardinality(tokens) AS size, unnest(tokens) AS token FROM t;
CREATE TEMP TABLE frequency AS SELECT token, count(*) AS df FROM occurrence GROUP BY token;
CREATE TEMP TABLE prefix AS
SELECT id, size, token FROM (
    SELECT id, size, token, row_number() OVER (PARTITION BY id ORDER BY df, token) AS position
    FROM occurrence JOIN frequency USING (token)) AS ranked
WHERE position <= size - ceil(:threshold::numeric * size) + 1;
ANALYZE occurrence, prefix;
CREATE TEMP TABLE candidate AS
SELECT DISTINCT x.id AS a, y.id AS b, x.size + y.size AS sizes
FROM prefix AS x JOIN prefix AS y USING (token)
WHERE x.id < y.id AND x.size >= :threshold::numeric * y.size AND y.size >= :threshold::numeric * x.size;
ANALYZE candidate;
SELECT count(*) FROM (
    SELECT a, b FROM candidate
    JOIN occurrence AS x ON x.id = a
    JOIN occurrence AS y ON y.id = b AND y.token = x.token
    GROUP BY a, b, sizes
    HAVING count(*) >= :threshold::numeric * (sizes - count(*))) AS pair;
