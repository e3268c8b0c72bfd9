-- Cleans a list of customers: "customers" (id of any type, name text, street text, city text, changed date). Names and
-- addresses have typing errors, so they are compared by groups of three characters; the row that was
-- changed last is kept, and gets what it lacks from its duplicates.
BEGIN;
CREATE TEMP TABLE found ON COMMIT DROP AS
SELECT * FROM near_duplicates_keyed((SELECT id FROM customers LIMIT 0), 'customers', 'id', 'name', 0.5,
    tokens => 'qgram_tokens(concat_ws('' '', name, street, city), 3)', keep => 'changed DESC');

UPDATE customers AS c
SET street = coalesce(c.street, d.street), city = coalesce(c.city, d.city)
FROM (SELECT f.duplicate_of, max(x.street) AS street, max(x.city) AS city
      FROM found AS f JOIN customers AS x USING (id) GROUP BY f.duplicate_of) AS d
WHERE c.id = d.duplicate_of;

DELETE FROM customers USING found WHERE customers.id = found.id;
COMMIT;
