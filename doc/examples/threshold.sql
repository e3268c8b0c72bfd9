-- How many pairs there are at each similarity, as a bar chart, with an example of each. Where the
-- examples stop being duplicates, there is the threshold. The key is of any type with an order.
--   psql -v table=docs -v key=id -v text=body -v tokens='word_tokens(body)' -f threshold.sql
SELECT :{?table} AND :{?key} AND :{?text} AND :{?tokens} AS is_called \gset
\if :is_called \else \warn 'threshold.sql needs the variables table, key, text and tokens, as its head says' \quit \endif
SELECT format('SELECT %s, %s FROM %s', :'key', :'tokens', :'table') AS query \gset
CREATE TEMP TABLE pairs AS SELECT * FROM ppjoin_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'query', 0.3);

SELECT to_char(least, '0.00') AS similarity, coalesce(pairs, 0) AS pairs,
       repeat('#', ceil(50.0 * pairs / max(pairs) OVER ())::int) AS chart, example
FROM (SELECT 0.3 + i / 20.0 AS least, i FROM generate_series(0, 14) AS i) AS steps
LEFT JOIN (SELECT least(floor((similarity - 0.3) * 20 + 1e-9)::int, 14) AS i, count(*) AS pairs, (array_agg(a::text || ' ~ ' || b::text ORDER BY a, b))[1] AS example
           FROM pairs GROUP BY 1) AS counted USING (i)
ORDER BY i DESC;
DROP TABLE pairs;
