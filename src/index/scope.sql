--
-- tokenset: scope columns of the access method neardup, which come before that of the sets.
--
-- Each class has = and a hash function of its type. Types that are stored alike share a function.
--

CREATE OPERATOR FAMILY integer_ops USING neardup;
COMMENT ON OPERATOR FAMILY integer_ops USING neardup IS 'scope columns of integers';

CREATE OPERATOR CLASS int2_ops
DEFAULT FOR TYPE int2 USING neardup FAMILY integer_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint2extended(int2, int8);
COMMENT ON OPERATOR CLASS int2_ops USING neardup IS 'scope columns of type int2';

CREATE OPERATOR CLASS int4_ops
DEFAULT FOR TYPE int4 USING neardup FAMILY integer_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint4extended(int4, int8);
COMMENT ON OPERATOR CLASS int4_ops USING neardup IS 'scope columns of type int4';

CREATE OPERATOR CLASS int8_ops
DEFAULT FOR TYPE int8 USING neardup FAMILY integer_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint8extended(int8, int8);
COMMENT ON OPERATOR CLASS int8_ops USING neardup IS 'scope columns of type int8';

ALTER OPERATOR FAMILY integer_ops USING neardup ADD
    OPERATOR 10 pg_catalog.= (int2, int4),
    OPERATOR 10 pg_catalog.= (int2, int8),
    OPERATOR 10 pg_catalog.= (int4, int2),
    OPERATOR 10 pg_catalog.= (int4, int8),
    OPERATOR 10 pg_catalog.= (int8, int2),
    OPERATOR 10 pg_catalog.= (int8, int4);

CREATE OPERATOR FAMILY float_ops USING neardup;
COMMENT ON OPERATOR FAMILY float_ops USING neardup IS 'scope columns of floating-point numbers';

CREATE OPERATOR CLASS float4_ops
DEFAULT FOR TYPE float4 USING neardup FAMILY float_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashfloat4extended(float4, int8);
COMMENT ON OPERATOR CLASS float4_ops USING neardup IS 'scope columns of type float4';

CREATE OPERATOR CLASS float8_ops
DEFAULT FOR TYPE float8 USING neardup FAMILY float_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashfloat8extended(float8, int8);
COMMENT ON OPERATOR CLASS float8_ops USING neardup IS 'scope columns of type float8';

ALTER OPERATOR FAMILY float_ops USING neardup ADD
    OPERATOR 10 pg_catalog.= (float4, float8),
    OPERATOR 10 pg_catalog.= (float8, float4);

CREATE OPERATOR CLASS numeric_ops
DEFAULT FOR TYPE numeric USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hash_numeric_extended(numeric, int8);
COMMENT ON OPERATOR CLASS numeric_ops USING neardup IS 'scope columns of type numeric';
COMMENT ON OPERATOR FAMILY numeric_ops USING neardup IS 'scope columns of type numeric';

CREATE OPERATOR CLASS money_ops
DEFAULT FOR TYPE money USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint8extended(int8, int8);
COMMENT ON OPERATOR CLASS money_ops USING neardup IS 'scope columns of type money';
COMMENT ON OPERATOR FAMILY money_ops USING neardup IS 'scope columns of type money';

CREATE OPERATOR CLASS text_ops
DEFAULT FOR TYPE text USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashtextextended(text, int8);
COMMENT ON OPERATOR CLASS text_ops USING neardup IS 'scope columns of type text';
COMMENT ON OPERATOR FAMILY text_ops USING neardup IS 'scope columns of type text';

CREATE OPERATOR CLASS bpchar_ops
DEFAULT FOR TYPE bpchar USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashbpcharextended(bpchar, int8);
COMMENT ON OPERATOR CLASS bpchar_ops USING neardup IS 'scope columns of type bpchar';
COMMENT ON OPERATOR FAMILY bpchar_ops USING neardup IS 'scope columns of type bpchar';

CREATE OPERATOR CLASS char_ops
DEFAULT FOR TYPE "char" USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashcharextended("char", int8);
COMMENT ON OPERATOR CLASS char_ops USING neardup IS 'scope columns of type "char"';
COMMENT ON OPERATOR FAMILY char_ops USING neardup IS 'scope columns of type "char"';

CREATE OPERATOR CLASS name_ops
DEFAULT FOR TYPE name USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashnameextended(name, int8);
COMMENT ON OPERATOR CLASS name_ops USING neardup IS 'scope columns of type name';
COMMENT ON OPERATOR FAMILY name_ops USING neardup IS 'scope columns of type name';

CREATE OPERATOR CLASS bytea_ops
DEFAULT FOR TYPE bytea USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashvarlenaextended(internal, int8);
COMMENT ON OPERATOR CLASS bytea_ops USING neardup IS 'scope columns of type bytea';
COMMENT ON OPERATOR FAMILY bytea_ops USING neardup IS 'scope columns of type bytea';

CREATE OPERATOR CLASS bit_ops
DEFAULT FOR TYPE bit USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashvarlenaextended(internal, int8);
COMMENT ON OPERATOR CLASS bit_ops USING neardup IS 'scope columns of type bit';
COMMENT ON OPERATOR FAMILY bit_ops USING neardup IS 'scope columns of type bit';

CREATE OPERATOR CLASS varbit_ops
DEFAULT FOR TYPE varbit USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashvarlenaextended(internal, int8);
COMMENT ON OPERATOR CLASS varbit_ops USING neardup IS 'scope columns of type varbit';
COMMENT ON OPERATOR FAMILY varbit_ops USING neardup IS 'scope columns of type varbit';

CREATE OPERATOR CLASS bool_ops
DEFAULT FOR TYPE bool USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashcharextended("char", int8);
COMMENT ON OPERATOR CLASS bool_ops USING neardup IS 'scope columns of type bool';
COMMENT ON OPERATOR FAMILY bool_ops USING neardup IS 'scope columns of type bool';

CREATE OPERATOR CLASS enum_ops
DEFAULT FOR TYPE anyenum USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashenumextended(anyenum, int8);
COMMENT ON OPERATOR CLASS enum_ops USING neardup IS 'scope columns of type anyenum';
COMMENT ON OPERATOR FAMILY enum_ops USING neardup IS 'scope columns of type anyenum';

CREATE OPERATOR CLASS oid_ops
DEFAULT FOR TYPE oid USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashoidextended(oid, int8);
COMMENT ON OPERATOR CLASS oid_ops USING neardup IS 'scope columns of type oid';
COMMENT ON OPERATOR FAMILY oid_ops USING neardup IS 'scope columns of type oid';

CREATE OPERATOR CLASS uuid_ops
DEFAULT FOR TYPE uuid USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.uuid_hash_extended(uuid, int8);
COMMENT ON OPERATOR CLASS uuid_ops USING neardup IS 'scope columns of type uuid';
COMMENT ON OPERATOR FAMILY uuid_ops USING neardup IS 'scope columns of type uuid';

CREATE OPERATOR CLASS date_ops
DEFAULT FOR TYPE date USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint4extended(int4, int8);
COMMENT ON OPERATOR CLASS date_ops USING neardup IS 'scope columns of type date';
COMMENT ON OPERATOR FAMILY date_ops USING neardup IS 'scope columns of type date';

CREATE OPERATOR CLASS time_ops
DEFAULT FOR TYPE time USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.time_hash_extended(time, int8);
COMMENT ON OPERATOR CLASS time_ops USING neardup IS 'scope columns of type time';
COMMENT ON OPERATOR FAMILY time_ops USING neardup IS 'scope columns of type time';

CREATE OPERATOR CLASS timetz_ops
DEFAULT FOR TYPE timetz USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.timetz_hash_extended(timetz, int8);
COMMENT ON OPERATOR CLASS timetz_ops USING neardup IS 'scope columns of type timetz';
COMMENT ON OPERATOR FAMILY timetz_ops USING neardup IS 'scope columns of type timetz';

CREATE OPERATOR CLASS timestamp_ops
DEFAULT FOR TYPE timestamp USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.timestamp_hash_extended(timestamp, int8);
COMMENT ON OPERATOR CLASS timestamp_ops USING neardup IS 'scope columns of type timestamp';
COMMENT ON OPERATOR FAMILY timestamp_ops USING neardup IS 'scope columns of type timestamp';

CREATE OPERATOR CLASS timestamptz_ops
DEFAULT FOR TYPE timestamptz USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.timestamp_hash_extended(timestamp, int8);
COMMENT ON OPERATOR CLASS timestamptz_ops USING neardup IS 'scope columns of type timestamptz';
COMMENT ON OPERATOR FAMILY timestamptz_ops USING neardup IS 'scope columns of type timestamptz';

CREATE OPERATOR CLASS interval_ops
DEFAULT FOR TYPE interval USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.interval_hash_extended(interval, int8);
COMMENT ON OPERATOR CLASS interval_ops USING neardup IS 'scope columns of type interval';
COMMENT ON OPERATOR FAMILY interval_ops USING neardup IS 'scope columns of type interval';

CREATE OPERATOR CLASS macaddr_ops
DEFAULT FOR TYPE macaddr USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashmacaddrextended(macaddr, int8);
COMMENT ON OPERATOR CLASS macaddr_ops USING neardup IS 'scope columns of type macaddr';
COMMENT ON OPERATOR FAMILY macaddr_ops USING neardup IS 'scope columns of type macaddr';

CREATE OPERATOR CLASS macaddr8_ops
DEFAULT FOR TYPE macaddr8 USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashmacaddr8extended(macaddr8, int8);
COMMENT ON OPERATOR CLASS macaddr8_ops USING neardup IS 'scope columns of type macaddr8';
COMMENT ON OPERATOR FAMILY macaddr8_ops USING neardup IS 'scope columns of type macaddr8';

CREATE OPERATOR CLASS inet_ops
DEFAULT FOR TYPE inet USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashinetextended(inet, int8);
COMMENT ON OPERATOR CLASS inet_ops USING neardup IS 'scope columns of type inet';
COMMENT ON OPERATOR FAMILY inet_ops USING neardup IS 'scope columns of type inet';

-- Ranges are no scopes. Of these classes no index is built: the error says by what scopes are compared.
CREATE OPERATOR CLASS range_ops
DEFAULT FOR TYPE anyrange USING neardup AS
    OPERATOR 1 pg_catalog.&&,
    OPERATOR 4 pg_catalog.=;
COMMENT ON OPERATOR CLASS range_ops USING neardup IS 'refuses ranges as scope columns';
COMMENT ON OPERATOR FAMILY range_ops USING neardup IS 'refuses ranges as scope columns';

CREATE OPERATOR CLASS multirange_ops
DEFAULT FOR TYPE anymultirange USING neardup AS
    OPERATOR 1 pg_catalog.&& (anymultirange, anymultirange),
    OPERATOR 4 pg_catalog.=;
COMMENT ON OPERATOR CLASS multirange_ops USING neardup IS 'refuses multiranges as scope columns';
COMMENT ON OPERATOR FAMILY multirange_ops USING neardup IS 'refuses multiranges as scope columns';
