# What the catalogs say of the objects of neardup, neardup_clean and neardup_track, without what differs from one installation to the
# next: a line each, in an order of their own.
package ExtensionCatalog;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(catalog_of);

# One query a kind of object; "member" has the objects of the extension. Rows are JSON, so that no
# attribute that is named here can be lost between others.
my %queries = (
    'member' => q{SELECT pg_describe_object(classid, objid, 0), deptype FROM member},
    'extension' => q{
        SELECT extname, extversion, extrelocatable, extnamespace::regnamespace,
               ARRAY(SELECT c::regclass::text || coalesce(' ' || extcondition[o], '') FROM unnest(extconfig) WITH ORDINALITY AS u (c, o) ORDER BY 1) AS config
        FROM pg_extension WHERE extname IN ('neardup', 'neardup_clean', 'neardup_track')},
    'comment' => q{
        SELECT pg_describe_object(m.classid, m.objid, d.objsubid), d.description
        FROM member m JOIN pg_description d USING (classoid, objoid)},
    'function' => q{
        SELECT p.oid::regprocedure, pg_get_functiondef(p.oid), p.proacl, p.proowner::regrole, p.proleakproof
        FROM member m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass WHERE p.prokind <> 'a'},
    'aggregate' => q{
        SELECT p.oid::regprocedure, p.proacl, p.provolatile, p.proparallel, p.proisstrict, p.procost, p.proargnames, pg_get_function_arguments(p.oid),
               p.prorettype::regtype, a.aggkind, a.aggnumdirectargs, a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn,
               a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn, a.aggfinalextra, a.aggmfinalextra, a.aggfinalmodify, a.aggmfinalmodify,
               a.aggsortop::regoperator, a.aggtranstype::regtype, a.aggtransspace, a.aggmtranstype::regtype, a.aggmtransspace, a.agginitval, a.aggminitval
        FROM member m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass JOIN pg_aggregate a ON a.aggfnoid = p.oid},
    'type' => q{
        SELECT t.oid::regtype, t.typlen, t.typbyval, t.typtype, t.typcategory, t.typispreferred, t.typisdefined, t.typdelim, t.typrelid::regclass,
               t.typsubscript, t.typelem::regtype, t.typarray::regtype, t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout,
               t.typanalyze, t.typalign, t.typstorage, t.typnotnull, t.typbasetype::regtype, t.typcollation::regcollation, t.typdefault, t.typacl
        FROM member m JOIN pg_type t ON t.oid = m.objid AND m.classid = 'pg_type'::regclass},
    'operator' => q{
        SELECT o.oid::regoperator, o.oprkind, o.oprcanmerge, o.oprcanhash, o.oprresult::regtype, o.oprcom::regoperator, o.oprnegate::regoperator,
               o.oprcode, o.oprrest, o.oprjoin
        FROM member m JOIN pg_operator o ON o.oid = m.objid AND m.classid = 'pg_operator'::regclass},
    'operator class' => q{
        SELECT c.opcname, a.amname, c.opcintype::regtype, c.opcdefault, c.opckeytype::regtype, f.opfname
        FROM member m JOIN pg_opclass c ON c.oid = m.objid AND m.classid = 'pg_opclass'::regclass
        JOIN pg_am a ON a.oid = c.opcmethod JOIN pg_opfamily f ON f.oid = c.opcfamily},
    'operator of a family' => q{
        SELECT f.opfname, a.amname, o.amoplefttype::regtype, o.amoprighttype::regtype, o.amopstrategy, o.amoppurpose, o.amopopr::regoperator,
               (SELECT s.opfname FROM pg_opfamily s WHERE s.oid = o.amopsortfamily) AS sorts
        FROM member m JOIN pg_opfamily f ON f.oid = m.objid AND m.classid = 'pg_opfamily'::regclass
        JOIN pg_am a ON a.oid = f.opfmethod JOIN pg_amop o ON o.amopfamily = f.oid},
    'function of a family' => q{
        SELECT f.opfname, a.amname, p.amproclefttype::regtype, p.amprocrighttype::regtype, p.amprocnum, p.amproc::regprocedure
        FROM member m JOIN pg_opfamily f ON f.oid = m.objid AND m.classid = 'pg_opfamily'::regclass
        JOIN pg_am a ON a.oid = f.opfmethod JOIN pg_amproc p ON p.amprocfamily = f.oid},
    'cast' => q{
        SELECT c.castsource::regtype, c.casttarget::regtype, c.castfunc::regprocedure, c.castcontext, c.castmethod
        FROM member m JOIN pg_cast c ON c.oid = m.objid AND m.classid = 'pg_cast'::regclass},
    'access method' => q{
        SELECT a.amname, a.amhandler, a.amtype FROM member m JOIN pg_am a ON a.oid = m.objid AND m.classid = 'pg_am'::regclass},
    'relation' => q{
        SELECT c.oid::regclass, c.relkind, c.relpersistence, c.relowner::regrole, c.relacl, c.reloptions, c.relrowsecurity, c.relreplident,
               CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END AS view
        FROM member m JOIN pg_class c ON c.oid = m.objid AND m.classid = 'pg_class'::regclass},
    'column' => q{
        SELECT c.oid::regclass, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attidentity, a.attstorage,
               a.attcollation::regcollation, a.attacl,
               -- Some minor releases mark columns.
               ARRAY(SELECT option FROM unnest(a.attoptions) AS option WHERE option NOT LIKE 'pg_attver=%') AS options, pg_get_expr(d.adbin, d.adrelid) AS value
        FROM member m JOIN pg_class c ON c.oid = m.objid AND m.classid = 'pg_class'::regclass
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum},
    'index' => q{
        SELECT pg_get_indexdef(i.indexrelid), i.indisprimary, i.indisunique, i.indisclustered, i.indisreplident
        FROM member m JOIN pg_index i ON i.indrelid = m.objid AND m.classid = 'pg_class'::regclass},
    'constraint' => q{
        SELECT c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)
        FROM member m JOIN pg_constraint c ON c.conrelid = m.objid AND m.classid = 'pg_class'::regclass},
    'trigger' => q{
        SELECT pg_get_triggerdef(t.oid), t.tgenabled
        FROM member m JOIN pg_trigger t ON t.tgrelid = m.objid AND m.classid = 'pg_class'::regclass},
    'event trigger' => q{
        SELECT e.evtname, e.evtevent, e.evtowner::regrole, e.evtfoid::regprocedure, e.evtenabled, e.evttags
        FROM member m JOIN pg_event_trigger e ON e.oid = m.objid AND m.classid = 'pg_event_trigger'::regclass},
    'privileges' => q{
        SELECT pg_describe_object(i.classoid, i.objoid, i.objsubid), i.privtype, i.initprivs FROM member m JOIN pg_init_privs i USING (classoid, objoid)},
    'dependency' => q{
        SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS this, pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) AS needs, d.deptype
        FROM pg_depend d
        WHERE EXISTS (SELECT FROM member m WHERE m.classid = d.classid AND m.objid = d.objid)
            OR EXISTS (SELECT FROM member m WHERE m.classid = d.refclassid AND m.objid = d.refobjid)});

# The lines of a database.
sub catalog_of
{
    my ($node, $database) = @_;
    my $union = join "\nUNION ALL\n", map { "SELECT '$_: ' || to_jsonb(r)::text FROM ($queries{$_}) AS r" } sort keys %queries;

    # Names of TOAST tables are made of oids.
    return split /\n/, $node->safe_psql($database, qq{
        SET search_path = pg_catalog;
        WITH member AS (
            SELECT d.classid, d.objid, d.classid AS classoid, d.objid AS objoid, d.deptype
            FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
            WHERE e.extname IN ('neardup', 'neardup_clean', 'neardup_track') AND d.deptype = 'e'
        )
        SELECT regexp_replace(line, 'pg_toast_\\d+', 'pg_toast', 'g') FROM ($union) AS lines (line) ORDER BY line COLLATE "C"});
}

1;
