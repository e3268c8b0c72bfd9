# What builds packages and images installs the libraries that the extension is built with, and an image has those that
# the library needs and a server may lack. "make check-packages" runs the steps of the images themselves.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my @images = qw(Dockerfile.official Dockerfile.cloudnativepg);

# A file, or the instructions of an image's file from this one on.
sub text_of
{
    my ($file, $from) = @_;
    my $text = slurp_file(project_file($file)) =~ s/^#.*\n//mgr;
    return defined $from ? $text =~ s/\A.*?(?=$from)//sr : $text;
}

foreach my $file (qw(Dockerfile debian/control.in doc/install.md test/deps.sh), @images)
{
    my %named = map { $_ => 1 } text_of($file) =~ /\b(lib(?:icu|utf8proc|xxhash)-dev)\b/g;
    is(join(' ', sort keys %named), 'libicu-dev libutf8proc-dev libxxhash-dev', "$file names the libraries to build with");
}

# The image that has the server has its ICU and libc; of those that it may lack, the numbers are those of its release.
sub libraries_of
{
    my ($path) = @_;
    my ($output) = run_command([ 'ldd', $path ]);
    unlike($output, qr/not found/, "$path finds its libraries");
    return map { m{^\s*lib([\w+-]+)\.so\S* => /} ? ($1 => 1) : () } split /\n/, $output;
}

SKIP:
{
    skip 'the sanitizers have libraries of their own', 1 if $ENV{SANITIZE};
    my ($bindir) = run_command([ 'pg_config', '--bindir' ]);
    my ($pkglibdir) = run_command([ 'pg_config', '--pkglibdir' ]);
    my %of_server = libraries_of("$bindir/postgres");
    my %of_library = libraries_of("$pkglibdir/neardup.so");
    my @lacking = sort grep { !$of_server{$_} } keys %of_library;
    foreach my $library (@lacking)
    {
        like(text_of('Dockerfile.official', "\nFROM [^\n]*trixie\n"), qr/\blib\Q$library\E[0-9]+\b/, "the official image gets lib$library");
        like(text_of('Dockerfile.cloudnativepg'), qr{\Q/lib$library.so.\E[0-9]+ }, "CloudNativePG's has lib$library in /system");
        like(text_of('Dockerfile.cloudnativepg'), qr/for package in [^;]*\blib\Q$library\E[0-9]+\b/, 'with its terms');
    }
    ok(-e "$pkglibdir/plugins/neardup.so", 'the library is a plugin, too');
}

# Both are built by the same packages, from an image of the same release, and have no bitcode, as nothing runs clang.
my @builds = map { [ text_of($_) =~ /apt-get -q -y install [^\\]*\\\n\s*(.*)\n/ ] } @images;
is_deeply($builds[0], $builds[1], 'the images are built by the same packages');
like(text_of($_), qr/^RUN make -s install PG_CONFIG=\S+ with_llvm=no /m, "$_ builds for the server of its image") foreach @images;

done_testing();
