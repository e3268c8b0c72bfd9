-- Jaccard similarity of words, by an index on them; of the first 1,000 bytes
-- of the texts, since it takes no longer ones.
SET pg_similarity.jaccard_tokenizer = 'alnum';
SET pg_similarity.jaccard_threshold = :threshold;
SELECT count(*) FROM t AS x JOIN t AS y ON x.id < y.id AND x.short_body ~?? y.short_body;
