-- Removes the duplicates of a table, in one transaction: what would go, a table to review, the merge. What refers to a
-- row that goes is turned to the row that stays. Undone by undo.sql as long as the log is there. The key is of any type
-- with an order; the extension neardup_clean must be there.
--   psql -v ON_ERROR_STOP=1 -v table=docs -v key=id -v text=body -v threshold=0.8 -v keep=id -f clean.sql
SELECT :{?table} AND :{?key} AND :{?text} AND :{?threshold} AND :{?keep} AS is_called \gset
\if :is_called \else \warn 'clean.sql needs the variables table, key, text, threshold and keep, as its head says' \quit \endif
BEGIN;
-- Nobody writes meanwhile: what is reviewed is what is merged.
LOCK TABLE :table IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE duplicates_review AS
SELECT d.*, true AS may_go
FROM near_duplicates_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'table', :'key', :'text', :threshold, keep => :'keep') AS d;

\echo rows that would go
SELECT kind, count(*) AS rows FROM duplicates_review GROUP BY kind ORDER BY kind;

-- Review: here by a rule, else by hand. Those that are barely similar stay.
UPDATE duplicates_review SET may_go = false WHERE kind = 'near' AND similarity < :threshold + 0.01;

\echo what the merge does
SELECT count(*) AS rows_gone, max(merge) AS merge, count(*) FILTER (WHERE moved <> '{}') AS with_references
FROM merge_duplicates(:'table', :'key', 'SELECT id, duplicate_of FROM duplicates_review WHERE may_go', log => 'duplicates_log');

\echo rows that are left
SELECT count(*) AS rows FROM :table;
COMMIT;
