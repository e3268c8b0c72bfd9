# The programs of the page about clients, as they stand there, print what it says. A block whose first line names a
# file is that file; the others of a section are one program. A section is skipped where its packages are not installed.
use strict;
use warnings;

use Cwd 'getcwd';
use File::Basename 'dirname';
use File::Path 'make_path';
use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('clients');
my %sections = slurp_file(project_file('doc/clients.md')) =~ /^## (.*?)\n(.*?)(?=^## |\z)/gms;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGUSER} = $node->safe_psql('postgres', 'SELECT current_user');
$ENV{PYTHONDONTWRITEBYTECODE} = 1;
my $home = getcwd();

sub command_works { return system("$_[0] >/dev/null 2>&1") == 0 }

# A Python that has all of these modules: of the first one on the PATH and Debian's own.
sub python_with
{
    my $imports = 'import ' . join ', ', @_;
    foreach my $path (qw(python3 /usr/bin/python3))
    {
        return $path if command_works("$path -c '$imports'");
    }
    return undef;
}

# The files of a section, its program and what that prints.
sub parts_of
{
    my ($section) = @_;
    my (%files, $program, $output);
    while ($sections{$section} =~ /^```(?:python|js)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)
    {
        my ($code, $printed) = ($1, $2 // '');
        if ($code =~ /\A# (\S+\.py)\n/) { $files{$1} = $code }
        else { $program .= $code; $output .= $printed }
    }
    return (\%files, $program, $output);
}

# An empty directory and an empty database of this name, for what follows.
sub enter
{
    my ($name) = @_;
    my $directory = PostgreSQL::Test::Utils::tempdir();
    chdir $directory;
    $node->safe_psql('postgres', "CREATE DATABASE $name");
    $ENV{PGDATABASE} = $name;
}

sub write_file
{
    my ($path, $content) = @_;
    make_path(dirname($path));
    open my $file, '>', $path or die "$path: $!";
    print $file $content;
    close $file;
}

sub prints
{
    my ($command, $expected, $name) = @_;
    my ($output, $errors) = run_command($command);
    is($output . "\n", $expected, $name) or diag($errors);
}

is(join(', ', sort keys %sections), 'Django, SQLAlchemy and Alembic, node-postgres, psycopg 3', 'the page has these clients');

SKIP:
{
    my $psycopg = python_with('psycopg') or skip 'python3-psycopg is not installed', 1;
    my (undef, $program, $output) = parts_of('psycopg 3');
    enter('psycopg');
    write_file('program.py', $program);
    prints([ $psycopg, 'program.py' ], $output, 'psycopg 3');
}

foreach my $driver ([ 'psycopg2', 'postgresql://' ], [ 'psycopg', 'postgresql+psycopg://' ])
{
    my ($module, $url) = @$driver;
    SKIP:
    {
        my $sqlalchemy = python_with('sqlalchemy', $module) or skip "python3-sqlalchemy or python3-$module is not installed", 1;
        skip 'SQLAlchemy before 2.0 has no psycopg 3', 1
          if $module eq 'psycopg' && !command_works("$sqlalchemy -c 'import sqlalchemy.dialects.postgresql.psycopg'");
        my (undef, $program, $output) = parts_of('SQLAlchemy and Alembic');
        enter("sqlalchemy_$module");
        $program =~ s{postgresql://}{$url};
        write_file('program.py', $program);
        prints([ $sqlalchemy, 'program.py' ], $output, "SQLAlchemy with $module");
    }
}

SKIP:
{
    my $alembic = python_with('alembic', 'psycopg2') or skip 'alembic or python3-psycopg2 is not installed', 1;
    my ($files) = parts_of('SQLAlchemy and Alembic');
    enter('alembic');
    write_file('tokens.py', $files->{'versions/tokens.py'});
    write_file('program.py', <<'PYTHON');
import tokens
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine, text
with create_engine("postgresql://").begin() as conn, Operations.context(MigrationContext.configure(conn)):
    conn.execute(text("CREATE TABLE docs (id int PRIMARY KEY, body text)"))
    tokens.upgrade()
    tokens.downgrade()
    tokens.upgrade()
    print(conn.execute(text("SELECT indexdef FROM pg_indexes WHERE indexname = 'docs_tokens'")).scalar())
PYTHON
    prints([ $alembic, 'program.py' ], "CREATE INDEX docs_tokens ON public.docs USING neardup (tokens)\n", 'Alembic');
}

SKIP:
{
    my $django = python_with('django', 'psycopg2') // python_with('django', 'psycopg')
      or skip 'python3-django or its driver is not installed', 1;
    my ($files, $program, $output) = parts_of('Django');
    enter('django');
    write_file($_, $files->{$_}) foreach keys %$files;
    write_file($_, '') foreach qw(docs/__init__.py docs/migrations/__init__.py);
    write_file('settings.py', <<'PYTHON');
import os
SECRET_KEY = "none"
USE_TZ = True
INSTALLED_APPS = ["docs"]
DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql",
    "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"], "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"]}}
PYTHON
    write_file('program.py', "import django\ndjango.setup()\n$program");
    $ENV{DJANGO_SETTINGS_MODULE} = 'settings';
    ok(command_works("$django -m django migrate"), 'Django migrates');
    ok(command_works("$django -m django makemigrations --check"), 'and finds nothing to migrate then');
    prints([ $django, 'program.py' ], $output, 'Django');
}

SKIP:
{
    $ENV{NODE_PATH} = join ':', grep { defined && length } $ENV{NODE_PATH}, '/usr/lib/node_modules', '/usr/local/lib/node_modules', '/usr/share/nodejs';
    skip 'pg of npm is not installed', 1 unless command_works(q{node -e 'require("pg")'});
    my (undef, $program, $output) = parts_of('node-postgres');
    enter('node');
    write_file('program.js', $program);
    prints([ 'node', 'program.js' ], $output, 'node-postgres');
}

chdir $home;
$node->stop;
done_testing();
