-- As prefix_join.sql, but contrib's intarray compares the candidates: tokens
-- are numbered by frequency, and sets are sorted int4[].
CREATE TEMP TABLE occurrence AS SELECT id, cardinality(tokens) AS size, unnest(tokens) AS token FROM t;
CREATE TEMP TABLE rank AS SELECT token, (row_number() OVER (ORDER BY count(*), token))::int4 AS rank FROM occurrence GROUP BY token;
CREATE TEMP TABLE ranked AS
SELECT id, size, array_agg(rank ORDER BY rank) AS tokens FROM occurrence JOIN rank USING (token) GROUP BY id, size;
CREATE TEMP TABLE prefix AS
SELECT id, size, unnest(tokens[1:size - ceil(:threshold::numeric * size)::int4 + 1]) AS token FROM ranked;
CREATE UNIQUE INDEX ON ranked (id);
ANALYZE ranked, prefix;
CREATE TEMP TABLE candidate AS
SELECT DISTINCT x.id AS a, y.id AS b
FROM prefix AS x JOIN prefix AS y USING (token)
WHERE x.id < y.id AND x.size >= :threshold::numeric * y.size AND y.size >= :threshold::numeric * x.size;
ANALYZE candidate;
SELECT count(*) FROM (
    SELECT x.size + y.size AS sizes, icount(x.tokens & y.tokens) AS common
    FROM candidate JOIN ranked AS x ON x.id = a JOIN ranked AS y ON y.id = b OFFSET 0) AS pair
WHERE common >= :threshold::numeric * (sizes - common);
