-- The templates of log lines: table log_templates (the key, within, template) says of each line what it is an instance of, with * for
-- values, and the templates are listed with the number of their lines. A value that is a word is told by its rarity.
--   psql -v table=log -v key=id -v line=message -f log_templates.sql
--   psql -v table=log -v key=id -v line="regexp_replace(line, '^\S+ \S+ ', '')" -v within=service -v rare=0.001 -f log_templates.sql
-- line is an expression, so that times and hosts in front of each message can be left out. within is one too: lines of different
-- programs have templates of their own, and what is rare is counted for each. rare is the part of the lines below which a word is one.
SELECT :{?table} AND :{?key} AND :{?line} AS is_called \gset
\if :is_called \else \warn 'log_templates.sql needs the variables table, key and line, as its head says' \quit \endif
\if :{?within} \else \set within '''''' \endif
\if :{?rare} \else \set rare 0.01 \endif
CREATE TABLE log_templates AS
WITH lines AS MATERIALIZED (
    SELECT t.:"key", coalesce((:within)::text, '') AS within, log_words(:line) AS words FROM :table AS t
), rare AS MATERIALIZED (
    SELECT within, word
    FROM (SELECT within, word, count(*) AS lines FROM lines, LATERAL (SELECT DISTINCT unnest(words) AS word) AS w WHERE word ~ '\w' GROUP BY within, word) AS w
    JOIN (SELECT within, count(*) AS all_lines FROM lines GROUP BY within) AS s USING (within)
    WHERE lines < :rare * all_lines
), masked AS MATERIALIZED (  -- unless half of the words of a line are rare, they are values
    SELECT within, words, CASE WHEN 2 * rare_words < all_words THEN regexp_replace(masked, '\*( \*)+', '*', 'g') ELSE array_to_string(words, ' ') END AS template
    FROM (SELECT DISTINCT within, words FROM lines) AS l CROSS JOIN LATERAL (
        SELECT string_agg(CASE WHEN r.word IS NULL THEN w.word ELSE '*' END, ' ' ORDER BY place) AS masked,
               count(r.word) AS rare_words, count(*) FILTER (WHERE w.word ~ '\w') AS all_words
        FROM unnest(l.words) WITH ORDINALITY AS w (word, place) LEFT JOIN rare AS r ON r.within = l.within AND r.word = w.word) AS m
), templates AS MATERIALIZED (
    SELECT within, template, string_to_array(template, ' ') AS words, count(*) AS kinds FROM masked GROUP BY within, template
), joined AS (  -- where three kinds of lines are one by a value, a frequent word in its place is one too
    SELECT t.within, t.template, min(wider.template) AS wider
    FROM templates AS t CROSS JOIN LATERAL generate_subscripts(t.words, 1) AS place
    JOIN templates AS wider ON wider.within = t.within AND wider.words = t.words[1 : place - 1] || '*'::text || t.words[place + 1 :] AND wider.kinds >= 3
    GROUP BY t.within, t.template
)
SELECT lines.:"key", within, coalesce(wider, template) AS template
FROM lines JOIN masked USING (within, words) LEFT JOIN joined USING (within, template);

SELECT within, count(*) AS lines, template FROM log_templates GROUP BY within, template ORDER BY lines DESC, within, template;
