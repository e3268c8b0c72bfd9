-- As levenshtein.sql, but an index on the lengths leaves out the pairs that
-- differ too much in them.
SELECT count(*) FROM :table AS x JOIN :table AS y ON y.length BETWEEN x.length - :distance AND x.length + :distance
WHERE x.id < y.id AND levenshtein_less_equal(x.body, y.body, :distance) <= :distance;
