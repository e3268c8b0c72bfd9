-- Every pair, compared by neardup's own predicate.
SELECT count(*) FROM t AS x JOIN t AS y ON x.id < y.id AND jaccard_ge(x.token_set, y.token_set, :threshold);
