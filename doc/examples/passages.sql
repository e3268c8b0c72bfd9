-- The passages that the rows of a table have in common as a page to read: the pairs of rows with most
-- common words, side by side, with their passages marked. One HTML file without scripts or anything
-- to load; nothing is changed.
--   psql -X -q -v table=docs -v key=id -v text=body -v min_words=20 -f passages.sql -o passages.html
-- One more variable: pairs (20), how many are shown. The key is of any type with an order.
SELECT :{?table} AND :{?key} AND :{?text} AND :{?min_words} AS is_called \gset
\if :is_called \else \warn 'passages.sql needs the variables table, key, text and min_words, as its head says' \quit \endif
\pset format unaligned
\pset tuples_only on
\pset footer off
\encoding UTF8
SELECT :{?pairs} AS has_pairs \gset
\if :has_pairs
\else
\set pairs 20
\endif

-- Text as HTML. Control characters, which HTML cannot hold, and those that change the direction of
-- what follows are shown by a sign.
CREATE FUNCTION pg_temp.html(raw text) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    regexp_replace(regexp_replace(
        replace(replace(replace(replace(replace(raw, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;'),
        '[\x01-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]', '<b title="control character">&#65533;</b>', 'g'),
        '[\u061c\u200e-\u200f\u202a-\u202e\u2066-\u2069]', '<b title="changes the direction of text">&#8644;</b>', 'g');

-- A text as HTML, these ranges of its characters marked.
CREATE FUNCTION pg_temp.marked(body text, ranges int4multirange) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT string_agg(pg_temp.html(substr(body, done, lower(range) - done)) || '<mark>'
                      || pg_temp.html(substr(body, lower(range), upper(range) - lower(range))) || '</mark>', '' ORDER BY lower(range))
           || pg_temp.html(substr(body, max(upper(range))))
    FROM (SELECT range, coalesce(lag(upper(range)) OVER (ORDER BY lower(range)), 1) AS done FROM unnest(ranges) AS range) AS piece;
END;

CREATE TEMP TABLE found AS
SELECT a, b, range_agg(in_a) AS in_a, range_agg(in_b) AS in_b, sum(words) AS words, count(*) AS passages
FROM passage_join_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), format('SELECT t.%I, t.%I FROM %s AS t', :'key', :'text', :'table'),
                        :min_words)
GROUP BY a, b;

SELECT format($page$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Passages of %1$s</title>
<style>
:root { color-scheme: light dark; --page: #fbfaf8; --card: #fff; --ink: #24211d; --soft: #6d675f; --line: #e4dfd8; --copied: #f7e3a8; }
@media (prefers-color-scheme: dark) { :root { --page: #191a1c; --card: #212326; --ink: #e4e2de; --soft: #9d9993; --line: #36383c; --copied: #5a4a1a; } }
body { margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.5rem; background: var(--page); color: var(--ink);
    font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; font-weight: 600; margin: 0 0 .3rem; }
p { margin: 0; color: var(--soft); }
header { margin: 0 0 2rem; }
table { border-collapse: collapse; width: 100%%; table-layout: fixed; background: var(--card); border: 1px solid var(--line); margin: 0 0 1.5rem; }
caption { text-align: left; color: var(--soft); font-size: .9rem; padding: 0 0 .3rem; }
th { text-align: left; font-weight: 500; font-size: .82rem; color: var(--soft); padding: .6rem 1.1rem 0; }
td { vertical-align: top; padding: .15rem 1.1rem .9rem; font-size: .92rem; }
td div { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; max-height: 24rem; overflow-y: auto; }
mark { color: inherit; border-radius: .2rem; padding: 0 .1rem; background: var(--copied); }
td b { font-weight: 400; color: var(--soft); }
</style>
</head>
<body>
<header>
<h1>Passages of %1$s</h1>
<p>%2$s pairs of rows have at least %3$s words in a row in common.</p>
</header>$page$,
    pg_temp.html(:'table'), to_char(count(*), 'FM999,999,999,999'), :min_words)
FROM found;

SELECT format($pair$<table>
<caption>%s words in %s</caption>
<tr><th>%s</th><th>%s</th></tr>
<tr><td><div dir="auto">%s</div></td><td><div dir="auto">%s</div></td></tr>
</table>$pair$,
    f.words, f.passages || CASE f.passages WHEN 1 THEN ' passage' ELSE ' passages' END, pg_temp.html(f.a::text), pg_temp.html(f.b::text),
    pg_temp.marked(x.:"text"::text, f.in_a), pg_temp.marked(y.:"text"::text, f.in_b))
FROM (SELECT * FROM found ORDER BY words DESC, a, b LIMIT :pairs) AS f
JOIN :table AS x ON x.:"key" = f.a
JOIN :table AS y ON y.:"key" = f.b
ORDER BY f.words DESC, f.a, f.b;

SELECT E'</body>\n</html>';
DROP TABLE found;
