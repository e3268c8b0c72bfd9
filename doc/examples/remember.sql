-- A fact that an agent has learned of a user: "facts" (id with a default, owner, fact text). From one threshold on it is
-- known already, from a lower one on, at least half of it, it is written, but somebody should look whether it corrects the other one.
--   psql -v owner=7 -v fact='The user likes to travel by train.' -v known=0.8 -v near=0.4 -f remember.sql
SELECT :{?owner} AND :{?fact} AND :{?known} AND :{?near} AS is_called \gset
\if :is_called \else \warn 'remember.sql needs the variables owner, fact, known and near, as its head says' \quit \endif
CREATE EXTENSION IF NOT EXISTS neardup_clean;
SELECT f.key, CASE WHEN NOT f.inserted THEN 'known' WHEN f.similarity >= :near THEN 'new, but look' ELSE 'new' END AS what,
       round(f.similarity::numeric, 3) AS similarity
FROM insert_or_find('facts', jsonb_build_object('owner', :'owner', 'fact', :'fact'), 'id', 'word_tokens(fact)', :known, within => 'owner') AS f;
