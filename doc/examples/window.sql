-- An alert is one of the last minutes, or a new one: "alerts" (id with a default, host, message text, raised timestamptz
-- with the default now()). What is older does not count. Numbers in the message do not matter.
--   psql -v host=web1 -v message='disk 91 % full' -v window='15 minutes' -f window.sql
SELECT :{?host} AND :{?message} AND :{?window} AS is_called \gset
\if :is_called \else \warn 'window.sql needs the variables host, message and window, as its head says' \quit \endif
CREATE EXTENSION IF NOT EXISTS neardup_clean;
SELECT f.key, f.inserted
FROM insert_or_find('alerts', jsonb_build_object('host', :'host', 'message', :'message'), 'id', 'word_tokens(strip_numbers(message))', 0.7,
                    within => 'host', among => format('raised > now() - %L::interval', :'window')) AS f;
