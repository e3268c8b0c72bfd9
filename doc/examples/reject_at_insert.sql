-- Refuses a row of "docs" (id, body text) that resembles another one, also where two sessions insert both
-- at the same time: the second waits for the first. "docs" must hold no near-duplicates yet; clean.sql sees to that.
-- INSERT ... ON CONFLICT DO NOTHING leaves such rows out. The threshold is that of the session that writes, so it is
-- set for the database.
SELECT format('ALTER DATABASE %I SET neardup.similarity_threshold = 0.8', current_database()) \gexec
SET neardup.similarity_threshold = 0.8;

ALTER TABLE docs ADD COLUMN tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED;
ALTER TABLE docs ADD CONSTRAINT docs_differ EXCLUDE USING neardup (tokens WITH %);
