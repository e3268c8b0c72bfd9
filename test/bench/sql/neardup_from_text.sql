-- neardup, from the texts: tokens are made on the way.
SELECT count(*) FROM ppjoin('SELECT id, word_set(body) FROM t', :threshold);
