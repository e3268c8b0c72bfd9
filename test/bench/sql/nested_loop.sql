-- Every row with every other by the predicate alone, without the join node.
SELECT count(*) FROM t AS x JOIN t AS y ON x.id < y.id AND jaccard_ge(x.token_set, y.token_set, :threshold);
