-- The duplicates of a table as a page to read: the largest clusters, each row beside the one that is
-- kept with the differences marked, and how similar the rows are. One HTML file without scripts or
-- anything to load; nothing is changed.
--   psql -X -q -v table=docs -v key=id -v text=body -v threshold=0.8 -f review.sql -o review.html
-- More variables: clusters (10), how many are shown, and rows (5), how many of each, the least
-- similar first. The key is of any type with an order. Words are marked, whatever near_duplicates
-- compares the texts by. With the extension neardup_clean, each pair comes with a statement to copy that says that the two
-- are different, and pairs for which that was said are left out.
SELECT :{?table} AND :{?key} AND :{?text} AND :{?threshold} AS is_called \gset
\if :is_called \else \warn 'review.sql needs the variables table, key, text and threshold, as its head says' \quit \endif
\pset format unaligned
\pset tuples_only on
\pset footer off
\encoding UTF8
SELECT :{?clusters} AS has_clusters, :{?rows} AS has_rows \gset
\if :has_clusters
\else
\set clusters 10
\endif
\if :has_rows
\else
\set rows 5
\endif

SELECT to_regclass('neardup_decided') IS NOT NULL AS has_decisions \gset
\set decided NULL
\if :has_decisions
SELECT format('SELECT key_a::%s, key_b::%1$s FROM neardup_decided WHERE rel = %L::regclass AND other = rel',
              pg_typeof((SELECT t.:"key" FROM :table AS t LIMIT 0)), :'table') AS decided \gset
SELECT quote_literal(:'decided') AS decided \gset
\endif

-- Text as HTML. Control characters, which HTML cannot hold, and those that change the direction of
-- what follows are shown by a sign.
CREATE FUNCTION pg_temp.html(raw text) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    regexp_replace(regexp_replace(
        replace(replace(replace(replace(replace(raw, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;'),
        '[\x01-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]', '<b title="control character">&#65533;</b>', 'g'),
        '[\u061c\u200e-\u200f\u202a-\u202e\u2066-\u2069]', '<b title="changes the direction of text">&#8644;</b>', 'g');

-- Two texts as HTML, the stretches of tokens that only one of them has marked.
CREATE FUNCTION pg_temp.side_by_side(a text, b text, OUT in_a text, OUT in_b text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    WITH token AS (
        SELECT * FROM shared_tokens(a, b) WHERE part <> 'measure'
    ), side AS (
        SELECT 'a' AS side, a AS body, part = 'shared' AS shared, a_from AS first, a_to AS last FROM token WHERE a_from IS NOT NULL
        UNION ALL
        SELECT 'b', b, part = 'shared', b_from, b_to FROM token WHERE b_from IS NOT NULL
    ), numbered AS (
        SELECT *, row_number() OVER (PARTITION BY side ORDER BY first, last)
                  - row_number() OVER (PARTITION BY side, shared ORDER BY first, last) AS island
        FROM side
    ), stretch AS (
        SELECT side, body, min(first) AS first, max(last) AS last FROM numbered WHERE NOT shared GROUP BY side, body, island
    ), piece AS (
        SELECT *, coalesce(max(last) OVER (PARTITION BY side ORDER BY first, last ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS done
        FROM stretch
    ), marked AS (
        SELECT side, max(last) AS done,
               string_agg(pg_temp.html(substr(body, done + 1, greatest(first - done - 1, 0))) || '<mark>'
                          || pg_temp.html(substr(body, greatest(first, done + 1), greatest(last - greatest(first, done + 1) + 1, 0))) || '</mark>',
                          '' ORDER BY first, last) AS html
        FROM piece GROUP BY side
    )
    SELECT max(coalesce(marked.html, '') || pg_temp.html(substr(sides.body, coalesce(done, 0) + 1))) FILTER (WHERE side = 'a'),
           max(coalesce(marked.html, '') || pg_temp.html(substr(sides.body, coalesce(done, 0) + 1))) FILTER (WHERE side = 'b')
    FROM (VALUES ('a', a), ('b', b)) AS sides (side, body) LEFT JOIN marked USING (side);
END;

-- place: in its cluster, of the first row of each text, those that are barely similar first.
CREATE TEMP TABLE found AS
SELECT *, row_number() OVER (PARTITION BY duplicate_of, nth_of_text = 1 ORDER BY kind DESC, similarity, id) AS place
FROM (SELECT d.*, row_number() OVER (PARTITION BY d.duplicate_of, t.:"text"::text ORDER BY d.id) AS nth_of_text,
             count(*) OVER (PARTITION BY d.duplicate_of, t.:"text"::text) AS of_text,
             count(*) OVER (PARTITION BY d.duplicate_of) AS copies,
             count(*) FILTER (WHERE d.kind = 'exact') OVER (PARTITION BY d.duplicate_of) AS exact_copies
      FROM near_duplicates_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'table', :'key', :'text', :threshold, except_pairs => :decided) AS d
      JOIN :table AS t ON t.:"key" = d.id) AS copy;

SELECT format($page$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Near-duplicates of %1$s</title>
<style>
:root { color-scheme: light dark; --page: #fbfaf8; --card: #fff; --ink: #24211d; --soft: #6d675f; --line: #e4dfd8;
    --bar: #4a7d8c; --a: #fbe0dc; --b: #d9efdd; }
@media (prefers-color-scheme: dark) { :root { --page: #191a1c; --card: #212326; --ink: #e4e2de; --soft: #9d9993; --line: #36383c;
    --bar: #74a9b8; --a: #5b302d; --b: #24492f; } }
body { margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.5rem; background: var(--page); color: var(--ink);
    font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; font-weight: 600; margin: 0 0 .3rem; }
h2 { font-size: 1rem; font-weight: 600; margin: 0; }
p { margin: 0; color: var(--soft); }
header, figure { margin: 0 0 2rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 1.5rem; overflow: hidden; }
section > header { margin: 0; padding: .9rem 1.1rem; }
table { border-collapse: collapse; width: 100%%; table-layout: fixed; }
th { text-align: left; font-weight: 500; font-size: .82rem; color: var(--soft); padding: .6rem 1.1rem 0; border-top: 1px solid var(--line); }
td { vertical-align: top; padding: .15rem 1.1rem .9rem; font-size: .92rem; }
td div { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; max-height: 16rem; overflow-y: auto; }
mark { color: inherit; border-radius: .2rem; padding: 0 .1rem; background: var(--a); }
td + td mark { background: var(--b); }
td b { font-weight: 400; color: var(--soft); }
td details { font-size: .82rem; color: var(--soft); }
td code { user-select: all; overflow-wrap: anywhere; }
svg { display: block; width: 100%%; height: auto; }
svg text { fill: var(--soft); font-size: 12px; }
svg rect { fill: var(--bar); }
svg line { stroke: var(--line); }
</style>
</head>
<body>
<header>
<h1>Near-duplicates of %1$s</h1>
<p>%2$s of %3$s rows resemble a row that is kept, at a similarity of %4$s or more; %5$s of them are exact copies.
%6$s rows are kept for them.</p>
</header>$page$,
    pg_temp.html(:'table'), to_char(count(*), 'FM999,999,999,999'),
    (SELECT to_char(count(*), 'FM999,999,999,999') FROM :table), :threshold,
    to_char(count(*) FILTER (WHERE kind = 'exact'), 'FM999,999,999,999'),
    to_char(count(DISTINCT duplicate_of), 'FM999,999,999,999'))
FROM found;

-- Twenty bars of equal width from the threshold to 1.
WITH bar AS (
    SELECT i, :threshold + (1 - :threshold) * i / 20.0 AS least, count(found.id) AS rows
    FROM generate_series(0, 19) AS i
    LEFT JOIN found ON least(floor((similarity - :threshold) / nullif(1 - :threshold, 0) * 20 + 1e-9)::int, 19) = i
    GROUP BY i
), scaled AS (
    SELECT *, round(150.0 * rows / greatest(max(rows) OVER (), 1), 1) AS height FROM bar
)
SELECT format($svg$<figure>
<svg viewBox="0 0 960 206" role="img" aria-label="rows by similarity">
%s
<line x1="0" x2="960" y1="172.5" y2="172.5"/>
<text x="0" y="196">%s</text><text x="480" y="196" text-anchor="middle">similarity to the row that is kept</text><text x="960" y="196" text-anchor="end">1</text>
</svg>
</figure>$svg$,
    string_agg(format('<rect x="%s" y="%s" width="44" height="%s" rx="2"><title>%s rows from %s</title></rect>',
                      i * 48 + 2, 172 - height, height, rows, round(least::numeric, 3))
               || CASE WHEN rows > 0 THEN format('<text x="%s" y="%s" text-anchor="middle">%s</text>', i * 48 + 24, 166 - height, rows) ELSE '' END,
               E'\n' ORDER BY i),
    :threshold)
FROM scaled;

WITH cluster AS (
    SELECT duplicate_of, copies, exact_copies, count(*) AS texts
    FROM found WHERE nth_of_text = 1 GROUP BY duplicate_of, copies, exact_copies ORDER BY copies DESC, duplicate_of LIMIT :clusters
)
SELECT format($section$<section>
<header>
<h2>%s %s</h2>
<p>%s</p>
</header>
<table>
%s
</table>
</section>$section$,
    pg_temp.html(:'key'), pg_temp.html(c.duplicate_of::text),
    c.copies || CASE c.copies WHEN 1 THEN ' duplicate' ELSE ' duplicates' END
        || CASE WHEN c.exact_copies = 0 THEN '' ELSE format(', %s of them exact', c.exact_copies) END
        || CASE WHEN c.texts > :rows THEN format('; the%s least similar of %s texts', CASE WHEN :rows > 1 THEN ' ' || :rows ELSE '' END, c.texts) ELSE '' END,
    string_agg(format(E'<tr><th>%s, kept</th><th>%s, %s</th></tr>\n<tr><td><div dir="auto">%s</div></td><td><div dir="auto">%s</div>%s</td></tr>',
                      pg_temp.html(c.duplicate_of::text), pg_temp.html(f.id::text),
                      CASE f.kind WHEN 'exact' THEN 'an exact copy' ELSE 'similarity ' || trunc(f.similarity::numeric, 3) END
                          || CASE WHEN f.of_text > 1 THEN format(', and %s more with the same text', f.of_text - 1) ELSE '' END,
                      s.in_a, s.in_b,
                      CASE WHEN :'has_decisions' THEN format('<details><summary>They are different</summary><code>%s</code></details>',
                          pg_temp.html(format('INSERT INTO neardup_decided (rel, key_a, key_b) VALUES (%L, %L, %L) ON CONFLICT DO NOTHING;', :'table', c.duplicate_of, f.id)))
                          ELSE '' END), E'\n' ORDER BY f.place))
FROM cluster AS c
JOIN found AS f ON f.duplicate_of = c.duplicate_of AND f.nth_of_text = 1 AND f.place <= :rows
JOIN :table AS kept ON kept.:"key" = f.duplicate_of
JOIN :table AS copy ON copy.:"key" = f.id,
LATERAL pg_temp.side_by_side(kept.:"text"::text, copy.:"text"::text) AS s
GROUP BY c.duplicate_of, c.copies, c.exact_copies, c.texts
ORDER BY c.copies DESC, c.duplicate_of;

SELECT E'</body>\n</html>';
DROP TABLE found;
