-- The links of two tables that are least sure, one text above the other, for a person to judge.
--   psql -X -q -v a=shop_a -v b=shop_b -v key=id -v text=name -v other=address -f review_links.sql
-- Both tables have the same columns. More variables: pairs (20), how many are shown. The key is of any
-- type with an order; without `other`, rows have one text. Nothing is changed.
SELECT :{?a} AND :{?b} AND :{?key} AND :{?text} AS is_called \gset
\if :is_called \else \warn 'review_links.sql needs the variables a, b, key and text, as its head says' \quit \endif
SELECT :{?pairs} AS has_pairs, :{?other} AS has_other \gset
\if :has_pairs
\else
\set pairs 20
\endif
\if :has_other
SELECT format('SELECT %1$I::text, %2$I::text, %3$I::text FROM %4$s', :'key', :'text', :'other', :'a'::regclass) AS query_a,
       format('SELECT %1$I::text, %2$I::text, %3$I::text FROM %4$s', :'key', :'text', :'other', :'b'::regclass) AS query_b \gset
\else
SELECT format('SELECT %1$I::text, %2$I::text, NULL::text FROM %3$s', :'key', :'text', :'a'::regclass) AS query_a,
       format('SELECT %1$I::text, %2$I::text, NULL::text FROM %3$s', :'key', :'text', :'b'::regclass) AS query_b \gset
\endif
SELECT texts, pairs, round(cut::numeric, 3) AS cut, round(precision_estimate::numeric, 2) AS precision_estimate, verdict
FROM link_tables_report(:'query_a', :'query_b');
\pset tuples_only on
\pset format unaligned
\pset recordsep '\n\n'
WITH link AS (
    SELECT * FROM link_tables_keyed(NULL::text, :'query_a', :'query_b') ORDER BY score, a, b LIMIT :pairs
)
SELECT format(E'%s  %s = %s\n  %s\n  %s', round(score::numeric, 3), link.a, link.b, concat_ws(' | ', x.first, x.other), concat_ws(' | ', y.first, y.other))
FROM link JOIN (:query_a) AS x (key, first, other) ON x.key = link.a
          JOIN (:query_b) AS y (key, first, other) ON y.key = link.b
ORDER BY score, link.a, link.b;
\pset recordsep '\n'
\pset format aligned
\pset tuples_only off
