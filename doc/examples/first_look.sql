-- A first look at the duplicates of a table; nothing is changed.
--   psql -v table=docs -v key=id -v text=body -v threshold=0.8 -f first_look.sql
-- The key is of any type with an order.
SELECT :{?table} AND :{?key} AND :{?text} AND :{?threshold} AS is_called \gset
\if :is_called
\else
\warn 'first_look.sql needs the variables table, key, text and threshold, as its head says'
\quit
\endif
CREATE TEMP TABLE found AS
SELECT * FROM near_duplicates_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'table', :'key', :'text', :threshold);

\echo rows that could go, by kind
SELECT kind, count(*) AS rows, count(DISTINCT duplicate_of) AS kept, min(round(similarity::numeric, 3)) AS least_similarity
FROM found GROUP BY kind ORDER BY kind;

\echo the largest clusters
SELECT f.duplicate_of AS kept, count(*) AS duplicates,
       CASE WHEN length(t.:"text"::text) <= 60 THEN t.:"text"::text
            ELSE regexp_replace(left(t.:"text"::text, 59), '\s+\S*$', '') || ' …' END AS text
FROM found AS f JOIN :table AS t ON t.:"key" = f.duplicate_of
GROUP BY f.duplicate_of, t.:"text" ORDER BY count(*) DESC, f.duplicate_of LIMIT 5;

\echo the doubtful ones: what differs
SELECT f.id, f.duplicate_of, round(f.similarity::numeric, 3) AS similarity, s.in_a AS in_kept, s.sign, s.in_b AS in_duplicate
FROM (SELECT * FROM found WHERE kind = 'near' ORDER BY similarity, id LIMIT 3) AS f
JOIN :table AS kept ON kept.:"key" = f.duplicate_of
JOIN :table AS copy ON copy.:"key" = f.id,
LATERAL side_by_side(kept.:"text"::text, copy.:"text"::text) WITH ORDINALITY AS s
WHERE s.sign <> '='
ORDER BY f.similarity, f.id, s.ordinality;
DROP TABLE found;
