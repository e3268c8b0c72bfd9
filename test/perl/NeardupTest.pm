# Servers and data for the TAP tests.
#
# "make check" stages the extension and names a file of settings in
# TEMP_CONFIG, which every node reads; "make installcheck" sets none, and the
# nodes use the installed extension. NEARDUP_TEMPLATE, which "make check" names
# too, is a data directory for nodes to begin with.
package NeardupTest;

use strict;
use warnings;

use Cwd 'abs_path';
use Exporter 'import';
use File::Basename 'dirname';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'time';

use constant {
    # A statement ends within so many seconds of its cancel, in one of so many tries.
    LATEST => 5,
    TRIES => 3,
};

our @EXPORT = qw(LATEST new_node force_workers least_lateness no_process_size printed seeds share_of run_seeds shared_data sqlstate_of times_out project_file);

# A started server, UTF8 unless the options for initdb say otherwise.
#   conf => text appended to postgresql.conf
#   extra => [options of initdb]
#   allows_streaming => 1 for the primary of a standby
#   install_path => the installation to run, where not the one under test
sub new_node
{
    my ($name, %options) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name, $options{install_path} ? (install_path => $options{install_path}) : ());

    local $ENV{PATH} = copying_initdb() . ":$ENV{PATH}" if $ENV{NEARDUP_TEMPLATE} && !$options{extra} && !$options{install_path};
    $node->init(
        extra => $options{extra} // [ '--encoding=UTF8', '--locale=C.UTF-8' ],
        allows_streaming => $options{allows_streaming});
    # Compiling the oracles' queries takes longer than running them.
    $node->append_conf('postgresql.conf', "jit = off\n" . ($options{conf} // ''));
    $node->start;
    return $node;
}

# The folder of an initdb that copies the template, which was made with the same options.
sub copying_initdb
{
    my $folder = PostgreSQL::Test::Utils::tempdir();

    append_to_file("$folder/initdb", <<'SH');
#!/bin/sh
until [ "$1" = -D ] || [ "$1" = --pgdata ]; do shift; done
exec cp -R "$NEARDUP_TEMPLATE" "$2"
SH
    chmod 0755, "$folder/initdb";
    return $folder;
}

# The setting by which joins have workers even where they do not pay; 16 has given it another name.
sub force_workers
{
    my ($node) = @_;

    return 'SET ' . ($node->pg_version < 16 ? 'force_parallel_mode' : 'debug_parallel_query') . ' = on';
}

# Why nothing can be said of how large a server's process was; undef where it can.
sub no_process_size
{
    return 'the sanitizers keep what is freed' if $ENV{SANITIZE};
    return 'the system does not tell how large a process was' if !-r '/proc/self/smaps';
    return;
}

# How many of $number random cases are tried: all of them in "make check ALL=1", an eighth of them each day.
sub share_of
{
    my ($number) = @_;

    return $ENV{NEARDUP_ALL} ? $number : int(($number + 7) / 8);
}

# What a background session's query printed. The library of 16 may leave a line end there, or its mark of the end after
# an error.
sub printed
{
    my ($out) = @_;
    return ($out // '') =~ s/\s*(?:background_psql: QUERY_SEPARATOR\s*)?\z//r;
}

# The seeds of random cases: those that NEARDUP_SEEDS names, or this run's share of 1 .. $count.
sub seeds
{
    my ($count) = @_;

    return $ENV{NEARDUP_SEEDS} ? split(' ', $ENV{NEARDUP_SEEDS}) : 1 .. share_of($count);
}

# Runs the scripts of seeds($count), $per_session of them in a session, each session a test. Returns how
# many seeds there were.
sub run_seeds
{
    my ($node, $count, $per_session, $script_of_seed) = @_;
    my @seeds = seeds($count);
    my $run = @seeds;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    while (my @chunk = splice @seeds, 0, $per_session)
    {
        my ($status, $out, $err) = $node->psql('postgres',
            "SET client_min_messages = warning;\n" . join("\n", map { $script_of_seed->($_) } @chunk),
            on_error_stop => 1);
        is($status, 0, "seeds $chunk[0] to $chunk[-1] run") or diag($err);
    }
    return $run;
}

# Path of a large data set, kept beside the clone; undef where there is none.
sub shared_data
{
    my ($name) = @_;
    my $shared = $ENV{NEARDUP_SHARED} // project_file('../shared');
    my $path = "$shared/data/$name.tsv.xz";

    return -r $path ? $path : undef;
}

# A file of the project.
sub project_file
{
    my ($name) = @_;

    return abs_path(dirname(__FILE__) . '/../..') . "/$name";
}

# The SQLSTATE with which the statements fail, 00000 where they do not, or
# undef where the server gave none (a lost connection).
sub sqlstate_of
{
    my ($node, $database, $sql) = @_;
    my ($status, $out, $err) =
      $node->psql($database, $sql, extra_params => [ '-v', 'VERBOSITY=sqlstate' ], on_error_stop => 1);

    return '00000' if $status == 0;
    return $err =~ /(?:ERROR|FATAL): +([0-9A-Z]{5})/ ? $1 : undef;
}

# Calls what cancels something and returns how many seconds after the cancel it ended, or undef where it has ended before;
# again where that is too late, since the whole machine may have stood still. Returns the least.
sub least_lateness
{
    my ($cancel) = @_;
    my $least = $cancel->();

    for (2 .. TRIES)
    {
        last if !defined $least || $least < LATEST;
        my $late = $cancel->();
        $least = $late if defined $late && $late < $least;
    }
    return $least;
}

# Tests that a join which would take longer ends soon after so many milliseconds, and leaves nothing.
sub times_out
{
    my ($node, $rule, $call, $timeout) = @_;
    my ($code, $stdout, $stderr);
    my $late = least_lateness(
        sub {
            my $start = time;
            ($code, $stdout, $stderr) = $node->psql('postgres', <<"SQL", on_error_stop => 0);
\\set VERBOSITY sqlstate
SET neardup.join_memory = '8MB';
SET statement_timeout = $timeout;
SELECT count(*) FROM $call;
SET statement_timeout = 0;
SELECT 'alive';
SQL
            return time - $start - $timeout / 1000;
        });
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    like($stderr, qr/ERROR:\s+57014/, "$rule: canceled by the timeout");
    is($stdout, 'alive', "$rule: the session works on");
    cmp_ok($late, '<', LATEST, sprintf '%s: promptly (%.1f s after)', $rule, $late);
    is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), '0', "$rule: no temporary file is left");
    return;
}

1;
