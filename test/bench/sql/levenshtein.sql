-- Every pair, compared by contrib's fuzzystrmatch.
SELECT count(*) FROM :table AS x JOIN :table AS y
ON x.id < y.id AND levenshtein_less_equal(x.body, y.body, :distance) <= :distance;
