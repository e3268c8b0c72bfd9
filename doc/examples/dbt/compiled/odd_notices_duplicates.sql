SELECT id, duplicate_of, similarity, kind, cluster
FROM near_duplicates_keyed(NULL::text, '"shop"."public"."odd_notices"', 'Notice No.',
    'Writer''s text', 0.5, tokens => 'word_set("Writer''s text" || '' '')', keep => '"Notice No." DESC', within => 'number_words("Writer''s text")')
