SELECT n.*, p.b AS known_as
FROM "shop"."public"."news" AS n
LEFT JOIN (
SELECT a, b, similarity
FROM ppjoin_keyed(NULL::text, 'SELECT "code", word_tokens(title) FROM "shop"."public"."news"',
    0.6, against => 'SELECT "Notice No.", word_tokens("Writer''s text") FROM "shop"."public"."odd_notices"')
) AS p ON p.a = n.code
