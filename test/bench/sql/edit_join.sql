-- neardup: pairs of texts within an edit distance.
SELECT count(*) FROM edit_join('SELECT id, body FROM ' || :'table', :distance);
