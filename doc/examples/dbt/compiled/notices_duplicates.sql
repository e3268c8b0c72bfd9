SELECT id, duplicate_of, similarity, kind, cluster
FROM near_duplicates('"shop"."public"."notices"', 'id',
    'body', 0.7, keep => 'rating DESC')
