-- Takes back what clean.sql merged last: the rows that went return, and what referred to them does so again.
--   psql -v ON_ERROR_STOP=1 -f undo.sql
BEGIN;
SELECT rel, returned, changed FROM undo_merge('duplicates_log', (SELECT max(merge) FROM duplicates_log WHERE undone IS NULL));
DROP TABLE duplicates_review;
COMMIT;
