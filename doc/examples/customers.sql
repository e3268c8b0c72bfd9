-- Cleans a list of customers: "customers" (id of any type, name text, street text, city text, changed date). Names and
-- addresses have typing errors, so they are compared by groups of three characters; the row that was
-- changed last is kept, and gets what it lacks from its duplicates. Whatever refers to the others refers to it then. The
-- extension neardup_clean must be there.
SELECT gone, kept, changed, moved, went
FROM merge_duplicates('customers', 'id', $$
    SELECT id, duplicate_of
    FROM near_duplicates_keyed((SELECT id FROM customers LIMIT 0), 'customers', 'id', 'name', 0.5,
        tokens => 'qgram_tokens(concat_ws('' '', name, street, city), 3)', keep => 'changed DESC') $$,
    rules => '{"street": "first", "city": "first"}', log => 'customers_log');
