SELECT a, b, similarity, score
FROM link_tables('SELECT "id", name, concat_ws('', '', street, city) FROM "shop"."public"."shops_a"',
    'SELECT "id", name, concat_ws('', '', street, city) FROM "shop"."public"."shops_b"', one_to_one => false)
