-- A made-up register of persons, to try duplicate_records on: some persons have several rows, with
-- typing errors and gaps, and some live with relatives of their name. Table persons; its column
-- person, who a row is, is the truth, and not to be compared. The same rows each time.
--   psql -f persons.sql
--   psql -v persons=100000 -f persons.sql
\if :{?persons} \else \set persons 1500 \endif

-- A number from 0 to 999 that depends on nothing but its argument.
CREATE FUNCTION pg_temp.dice(seed text) RETURNS int LANGUAGE sql IMMUTABLE RETURN ('x' || left(md5(seed), 7))::bit(28)::int % 1000;
CREATE FUNCTION pg_temp.pick(seed text, list text[]) RETURNS text LANGUAGE sql IMMUTABLE RETURN list[1 + ('x' || left(md5(seed), 7))::bit(28)::int % cardinality(list)];

-- A value as somebody writes it: one in ten is left out, one in eight has an error.
CREATE FUNCTION pg_temp.written(value text, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN pg_temp.dice(seed || 'gap') < 100 THEN NULL
            WHEN pg_temp.dice(seed || 'error') < 60 THEN overlay(value PLACING reverse(substr(value, place, 2)) FROM place FOR 2)
            WHEN pg_temp.dice(seed || 'error') < 120 THEN overlay(value PLACING '' FROM place FOR 1)
            ELSE value END
FROM (SELECT 1 + pg_temp.dice(seed || 'place') % (length(value) - 1) AS place) AS places
$$;

CREATE TABLE persons (id int PRIMARY KEY, person int, first_name text, surname text, born text, street text, town text, email text);
INSERT INTO persons
SELECT (row_number() OVER (ORDER BY md5(person || ':' || copy)))::int, person, pg_temp.written(first_name, seed || 1), pg_temp.written(surname, seed || 2),
       pg_temp.written(born, seed || 3), pg_temp.written(street, seed || 4), pg_temp.written(town, seed || 5), pg_temp.written(email, seed || 6)
FROM (SELECT person, pg_temp.pick('first' || person, '{Alma,Anna,Anton,Ben,Bruno,Carla,Clara,David,Dora,Elias,Ella,Emil,Emma,Eva,Felix,Finn,Frieda,Georg,Greta,Hanna,Hugo,Ida,Jakob,Jana,Johann,
                   Jonas,Josef,Julia,Karl,Klara,Lea,Lena,Leo,Lina,Luis,Maria,Martha,Max,Mia,Moritz,Nina,Noah,Olga,Oskar,Paul,Paula,Rosa,Ruth,Simon,Sofia,Theo,Tom,Vera,Viktor}') AS first_name,
             pg_temp.pick('surname' || home, '{Adler,Albrecht,Bauer,Becker,Berger,Brandt,Busch,Dietrich,Ebert,Engel,Fischer,Frank,Fuchs,Graf,Haas,Hahn,Hartmann,Heinrich,Hoffmann,Huber,Jung,Kaiser,Keller,
                   Koch,Kraus,Kuhn,Lang,Lehmann,Lorenz,Ludwig,Maier,Martin,Meyer,Moser,Neumann,Otto,Peters,Pohl,Richter,Roth,Sauer,Schmidt,Schneider,Schuster,Seidel,Simon,Sommer,Stein,Vogel,Voigt,Wagner,
                   Walter,Weber,Weiss,Winkler,Winter,Wolf,Ziegler}') AS surname,
             (date '1935-01-01' + pg_temp.dice('year' || person) * 25 + pg_temp.dice('day' || person) % 25)::text AS born,
             pg_temp.pick('street' || home, '{Am Anger,Am Bach,Bahnhofstrasse,Bergweg,Birkenallee,Blumenweg,Brunnengasse,Dorfstrasse,Eichenweg,Feldstrasse,Friedhofsweg,Gartenstrasse,Hauptstrasse,Hofgasse,
                   Kirchplatz,Lindenallee,Marktplatz,Mittelweg,Parkstrasse,Poststrasse,Ringstrasse,Rosenweg,Schulstrasse,Seeufer,Sonnenhang,Talstrasse,Waldweg,Wiesengrund}')
                 || ' ' || 1 + pg_temp.dice('number' || home) % 90 AS street,
             pg_temp.pick('town' || home, '{Altenburg,Bergheim,Birkenau,Dornbirn,Eschbach,Freistadt,Gmunden,Hallein,Kirchberg,Lindau,Mittersill,Neustadt,Oberndorf,Rosenheim,Seefeld,Waldkirch}') AS town
      FROM (SELECT person, person - CASE WHEN pg_temp.dice('home' || person) < 200 THEN 1 ELSE 0 END AS home
            FROM generate_series(1, :persons) AS person) AS homes) AS people,
    LATERAL (SELECT lower(first_name || '.' || surname) || pg_temp.dice('mail' || person) % 50 || '@' || lower(town) || '.example' AS email) AS addresses,
    generate_series(1, 1 + greatest(0, pg_temp.dice('copies' || person) / 200 - 2)) AS copy,
    LATERAL (SELECT person || ':' || copy || ':' AS seed) AS seeds;
ANALYZE persons;
