-- neardup, from stored tokens.
SELECT count(*) FROM ppjoin('SELECT id, token_set FROM t', :threshold);
