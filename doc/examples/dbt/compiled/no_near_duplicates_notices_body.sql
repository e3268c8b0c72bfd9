SELECT id, duplicate_of, similarity, kind, cluster
FROM near_duplicates('"shop"."public"."notices"', 'id',
    'body', 0.75, within => 'number_words(body)')
