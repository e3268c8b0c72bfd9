-- Takes back what clean.sql deleted.
--   psql -v ON_ERROR_STOP=1 -v table=docs -f undo.sql
BEGIN;
INSERT INTO :table SELECT * FROM duplicates_archive;
DROP TABLE duplicates_archive, duplicates_review;
COMMIT;
