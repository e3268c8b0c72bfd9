-- Refuses a row of "docs" (id, body text) that resembles another one, also where two sessions insert both
-- at the same time: the second waits for the first. "docs" must hold no near-duplicates yet; clean.sql sees to that.
-- INSERT ... ON CONFLICT DO NOTHING leaves such rows out. The threshold is part of the constraint: dump and restore
-- keep it, and no session can change it.
ALTER TABLE docs ADD COLUMN tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED;
ALTER TABLE docs ADD CONSTRAINT docs_differ EXCLUDE USING neardup (jaccard_ball(tokens, 0.8) WITH &&);
