-- Reports of one error are counted, whatever program inserts them: "errors" (id with a default, app, trace text, seen int
-- with the default 1). A program goes on with INSERT; a report that resembles one of its app adds one to "seen" there.
CREATE EXTENSION IF NOT EXISTS neardup_clean;
CREATE INDEX ON errors USING neardup (app, (shingle_set(strip_ids(trace), 2)));
SELECT guard_near_duplicates('errors', 'id', 'shingle_set(strip_ids(trace), 2)', 0.5, within => 'app', action => 'count', counter => 'seen');
