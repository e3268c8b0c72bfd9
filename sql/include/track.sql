\set ECHO none
-- Roles and oracle of the tests of tracked tables, which take this file by \i. At their end they drop the roles.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS neardup_track;
RESET client_min_messages;
CREATE ROLE regress_track_owner;
CREATE ROLE regress_track_writer;
GRANT CREATE ON SCHEMA public TO regress_track_owner;

-- Groups of rows that brute force connects, each named by its smallest key.
CREATE FUNCTION pg_temp.connected(sets text, threshold float8) RETURNS TABLE (key text, name text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH RECURSIVE s (key, tokens) AS MATERIALIZED (%s),
        edges AS MATERIALIZED (SELECT x.key::text AS x, y.key::text AS y FROM s x, s y WHERE jaccard_ge(x.tokens, y.tokens, $1)),
        reached AS (SELECT s.key::text AS key, s.key::text AS member FROM s UNION SELECT r.key, e.y FROM reached r JOIN edges e ON e.x = r.member)
        SELECT r.key, min(r.member) FROM reached r GROUP BY r.key $q$, sets) USING threshold;
END $$;
-- Rows that the tracked table and the oracle put into different clusters.
CREATE FUNCTION pg_temp.wrong(members text DEFAULT 'docs_neardup', sets text DEFAULT 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', threshold float8 DEFAULT 0.6)
RETURNS TABLE (key text, tracked text, expected text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        SELECT coalesce(t.key, c.key), t.name, c.name
        FROM (SELECT key::text AS key, min(key::text) OVER (PARTITION BY cluster) AS name FROM %s) t FULL JOIN pg_temp.connected($1, $2) c ON c.key = t.key
        WHERE t.name IS DISTINCT FROM c.name $q$, members::regclass) USING sets, threshold;
END $$;
CREATE FUNCTION pg_temp.refreshed(rel regclass) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM neardup_refresh(rel)';
\set ECHO all
