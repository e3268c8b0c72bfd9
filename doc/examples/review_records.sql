-- The pairs of records of a table that are least sure as a page to read: their columns side by side, those that differ
-- marked, and a statement to copy that says that the two are different. One HTML file without scripts or anything to load;
-- nothing is changed.
--   psql -X -q -v table=people -v key=id -f review_records.sql -o review.html
-- More variables: columns ('{name,street}'), those that duplicate_records compares, where it should not choose them; within,
-- expressions that are equal for duplicates; and pairs (50), how many are shown. The key is of any type with an order. With
-- the extension neardup_clean, pairs for which somebody has said that they are different are left out.
SELECT :{?table} AND :{?key} AS is_called \gset
\if :is_called \else \warn 'review_records.sql needs the variables table and key, as its head says' \quit \endif
\pset format unaligned
\pset tuples_only on
\pset footer off
\encoding UTF8
SELECT :{?pairs} AS has_pairs, :{?columns} AS has_columns, :{?within} AS has_within, to_regclass('neardup_decided') IS NOT NULL AS has_decisions \gset
\if :has_pairs
\else
\set pairs 50
\endif
\if :has_columns
SELECT quote_literal(:'columns') AS compared \gset
\else
\set compared NULL
\endif
\if :has_within
SELECT quote_literal(:'within') AS scope \gset
\else
\set scope NULL
\endif
\set decided NULL
\if :has_decisions
SELECT quote_literal(format('SELECT key_a::%s, key_b::%1$s FROM neardup_decided WHERE rel = %L::regclass AND other = rel',
                            pg_typeof((SELECT t.:"key" FROM :table AS t LIMIT 0)), :'table')) AS decided \gset
\endif

-- Text as HTML. Control characters, which HTML cannot hold, and those that change the direction of what follows are shown by
-- a sign.
CREATE FUNCTION pg_temp.html(raw text) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    regexp_replace(regexp_replace(
        replace(replace(replace(replace(replace(raw, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;'),
        '[\x01-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]', '<b title="control character">&#65533;</b>', 'g'),
        '[\u061c\u200e-\u200f\u202a-\u202e\u2066-\u2069]', '<b title="changes the direction of text">&#8644;</b>', 'g');

CREATE TEMP TABLE found AS
SELECT d.id, d.duplicate_of, d.score, row_number() OVER (ORDER BY d.score, d.duplicate_of, d.id) AS place, count(*) OVER () AS all_pairs
FROM duplicate_records_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'table', :'key', :compared::name[], within => :scope, except_pairs => :decided) AS d;

SELECT format($page$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Records of %1$s to review</title>
<style>
:root { color-scheme: light dark; --page: #fbfaf8; --card: #fff; --ink: #24211d; --soft: #6d675f; --line: #e4dfd8; --mark: #fbe7c6; }
@media (prefers-color-scheme: dark) { :root { --page: #191a1c; --card: #212326; --ink: #e4e2de; --soft: #9d9993; --line: #36383c; --mark: #54431f; } }
body { margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.5rem; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; font-weight: 600; margin: 0 0 .3rem; }
p { margin: 0 0 2rem; color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 1.5rem; overflow: hidden; padding: .6rem 1.1rem; }
table { border-collapse: collapse; width: 100%%; table-layout: fixed; }
th { text-align: left; font-weight: 500; font-size: .82rem; color: var(--soft); width: 10rem; }
th + th { width: auto; }
th, td { vertical-align: top; padding: .15rem .5rem; }
td { font-size: .92rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
tr.differs td { background: var(--mark); }
tr.lacks td { color: var(--soft); }
details { font-size: .82rem; color: var(--soft); }
code { user-select: all; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>Records of %1$s to review</h1>
<p>%2$s of %3$s pairs, the least sure first. What differs is marked.</p>$page$,
    pg_temp.html(:'table'), least(count(*), :pairs), count(*))
FROM found;

-- A column that only one of the records has says nothing against the pair.
SELECT format(E'<section>\n<table>\n<tr><th>score %s</th><th>%s</th><th>%s</th></tr>\n%s\n</table>%s\n</section>', round(f.score::numeric, 3),
              pg_temp.html(f.duplicate_of::text), pg_temp.html(f.id::text),
              string_agg(format('<tr%s><th>%s</th><td dir="auto">%s</td><td dir="auto">%s</td></tr>',
                                CASE WHEN x.value = y.value THEN '' WHEN num_nulls(x.value, y.value) > 0 THEN ' class="lacks"' ELSE ' class="differs"' END,
                                pg_temp.html(x.key), coalesce(pg_temp.html(x.value), ''), coalesce(pg_temp.html(y.value), '')), E'\n' ORDER BY x.place),
              CASE WHEN :'has_decisions' THEN format(E'\n<details><summary>They are different</summary><code>%s</code></details>',
                  pg_temp.html(format('INSERT INTO neardup_decided (rel, key_a, key_b) VALUES (%L, %L, %L) ON CONFLICT DO NOTHING;', :'table', f.duplicate_of, f.id))) ELSE '' END)
FROM found AS f JOIN :table AS kept ON kept.:"key" = f.duplicate_of JOIN :table AS copy ON copy.:"key" = f.id,
LATERAL json_each_text(to_json(kept.*)) WITH ORDINALITY AS x (key, value, place),
LATERAL json_each_text(to_json(copy.*)) WITH ORDINALITY AS y (key, value, place)
WHERE f.place <= :pairs AND x.place = y.place AND x.key <> :'key' AND num_nulls(x.value, y.value) < 2
GROUP BY f.place, f.duplicate_of, f.id, f.score
ORDER BY f.place;

SELECT E'</body>\n</html>';
DROP TABLE found;
