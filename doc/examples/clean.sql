-- Removes the duplicates of a table, in one transaction: a dry run, a table to review, an
-- archive, the deletion. Undone by undo.sql as long as the archive is there. The key is of any type
-- with an order.
--   psql -v ON_ERROR_STOP=1 -v table=docs -v key=id -v text=body -v threshold=0.8 -v keep=id -f clean.sql
BEGIN;
-- Nobody writes meanwhile: what is reviewed is what is deleted.
LOCK TABLE :table IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE duplicates_review AS
SELECT d.*, true AS may_go
FROM near_duplicates_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'table', :'key', :'text', :threshold, keep => :'keep') AS d;

\echo dry run: rows that would go
SELECT kind, count(*) AS rows FROM duplicates_review GROUP BY kind ORDER BY kind;

-- Review: here by a rule, else by hand. Those that are barely similar stay.
UPDATE duplicates_review SET may_go = false WHERE kind = 'near' AND similarity < :threshold + 0.01;

CREATE TABLE duplicates_archive AS
SELECT t.* FROM :table AS t JOIN duplicates_review AS r ON r.id = t.:"key" AND r.may_go;

DELETE FROM :table AS t USING duplicates_archive AS a WHERE t.:"key" = a.:"key";

\echo rows that are left
SELECT count(*) AS rows FROM :table;
COMMIT;
