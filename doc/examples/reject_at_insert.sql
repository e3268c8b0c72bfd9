-- Rejects a row of "docs" (id integer, body text) that resembles one that is there. Rows that two sessions
-- insert at the same time do not see each other: the advisory lock lets one wait for the other.
ALTER TABLE docs ADD COLUMN tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED;
CREATE INDEX docs_tokens ON docs USING gin (tokens);

CREATE FUNCTION reject_near_duplicate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    known integer;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('docs'), 0);
    SELECT d.id INTO known FROM docs AS d
    WHERE jaccard_ge(d.tokens, word_tokens(NEW.body), 0.8) AND d.id <> NEW.id
    ORDER BY jaccard(d.tokens, word_tokens(NEW.body)) DESC, d.id LIMIT 1;
    IF FOUND THEN
        RAISE unique_violation USING MESSAGE = format('row %s is a near-duplicate of row %s', NEW.id, known);
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER reject_near_duplicate BEFORE INSERT OR UPDATE OF body ON docs
FOR EACH ROW EXECUTE FUNCTION reject_near_duplicate();
