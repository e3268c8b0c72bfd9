SELECT a, b, similarity
FROM ppjoin('SELECT "id", word_qgram_set(coalesce(body, ''''), 3) FROM "shop"."public"."notices"',
    0.5, measure => 'cosine')
