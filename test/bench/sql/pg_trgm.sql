-- Another similarity: of trigrams within words, by an index on them.
SET pg_trgm.similarity_threshold = :threshold;
SELECT count(*) FROM t AS x JOIN t AS y ON x.id < y.id AND x.body % y.body;
