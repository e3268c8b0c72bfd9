# Lists in the pages are complete: the list of pages in the README and llms.txt, the numbers of formats, the tasks for
# programs, and the words that people have searched for. No server is needed.
use strict;
use warnings;
use utf8;

use Cwd 'abs_path';
use File::Basename 'dirname';
use File::Find 'find';
use Test::More;

chdir dirname(abs_path(__FILE__)) . '/../../..';

sub contents
{
    my ($path) = @_;
    open my $file, '<:encoding(UTF-8)', $path or die "$path: $!";
    local $/;
    return scalar <$file>;
}

# The parts of a list that are not in another one, each once.
sub lacking
{
    my ($wanted, $there) = @_;
    my %there = map { $_ => 1 } @$there;
    return join ' ', grep { !$there{$_}++ } @$wanted;
}

# The pages.
my @of_users = glob 'doc/*.md';
my @pages = (@of_users, glob('*.md doc/internals/*.md doc/bench/*.md'));
my ($documentation) = contents('README.md') =~ /^## Documentation\n(.*)/ms;
is(lacking(\@of_users, [ $documentation =~ /\]\((doc\/[\w.]+)\)/g ]), '', 'the list at the end of the README has every page');

my $llms = contents('llms.txt');
my @linked = $llms =~ /^- \[[^\]]+\]\(([^)]+)\): \S.*$/mg;
like($llms, qr/\A# neardup\n\n> \S(?:[^\n]*\n> )*[^\n]*\n\n/, 'llms.txt begins with the name and a summary');
is(join("\n", grep { length && !/^(#|>|- \[[^\]]+\]\([^)]+\): \S)/ } split /\n/, $llms =~ s/\A.*?(?=^## )//msr), '', 'and its sections have links, with a word on each');
is(lacking(\@pages, \@linked), '', 'it has every page');
is(join(' ', grep { !-e } @linked), '', 'and none that is not there');
is(scalar(@linked), scalar(keys %{ { map { $_ => 1 } @linked } }), 'each once');

# Formats: the numbers are those of the sources, and all of them.
my $formats = contents('doc/formats.md');
my %stated = map { my ($name, $value, $file) = /^\| `(\w+)` \| (\S+) \| `(\S+)` \|/ ? ($1, $2, $3) : (); $name ? ("$file $name" => $value) : () } split /\n/, $formats;
my %defined;
find({ no_chdir => 1, wanted => sub {
        return unless /\.[ch]$/;
        my $source = contents($_);
        $defined{"$_ $1"} = $2 while $source =~ /^#define (\w+) (?:UINT64CONST\()?(\w+)\)?$/mg;
    } }, 'src');
is(lacking([ map { "$_ $stated{$_}" } sort keys %stated ], [ map { "$_ $defined{$_}" } keys %defined ]), '', 'formats.md has the numbers of the sources');
is(lacking([ grep { /_(VERSION|MAGIC|PAGE_ID)$/ } sort keys %defined ], [ keys %stated ]), '', 'and all numbers of versions');

# The numbers that an enumeration of the sources gives to names.
sub numbered
{
    my ($file, $type, $prefix) = @_;
    my ($body) = contents($file) =~ /^typedef enum $type\n\{(.*?)^\} $type;/ms;
    my $number = 0;
    return map { lc(s/^$prefix//r =~ tr/_/-/r) => $number++ } $body =~ s{/\*.*?\*/}{}gsr =~ /^\s*($prefix\w+)/mg;
}

my %measures = numbered('src/measure/measure.h', 'Measure', 'MEASURE_');
my %profiles = numbered('src/minhash/minhash.h', 'MinhashProfile', 'MINHASH_');
my ($of_measures) = $formats =~ /^(Numbers of measures .*?\.) `difference`/ms;
my ($of_profiles) = $formats =~ /^(Profiles of a .*?)\n[A-Z]/ms;
is(join(' ', sort $of_measures =~ /(\d+)\s`(\w+)`/g), join(' ', sort map { ($measures{$_}, $_) } grep { !/^idf/ } keys %measures), 'measures have these numbers on disk');
is(join(' ', sort $of_profiles =~ /(\d+)\s`([\w-]+)`/g), join(' ', sort map { ($profiles{$_}, $_) } keys %profiles), 'and profiles of sketches');

# Programs that write SQL are told twenty tasks, each with one statement.
my @tasks = split /^(?=### )/m, contents('doc/agents.md') =~ s/^## Say .*//msr;
shift @tasks;
is(join(' ', map { /^### (\d+)\. / } @tasks), join(' ', 1 .. 20), 'agents.md has twenty tasks');
is(join("\n", map { /\A(.*)\n/ } grep { my @blocks = /^```sql\n(.*?)^```\n/msg; @blocks != 1 || $blocks[0] !~ /\A[^;]+;\n\z/ } @tasks), '', 'each has one statement');

# The index of what people search for has the words that people have typed in vain, and those of their questions.
my ($index) = contents('doc/faq.md') =~ /^## Index\n(.*)/ms;
my $found = lc join "\n", $index =~ /^\| (.*?) \| /mg;
my @words = map { s/^\s+|\s+$//gr } split /[,\n]/, <<'WORDS';
accent, address, agent, ANALYZE, ANN, apartment, arrays, ARM, attribute 1 of type record has wrong type, audio, audit,
autocomplete, bank transactions, benchmark, big data, binary format, birth date, blocking, Bloom filter, BM25, boilerplate, byte order,
cancel, captions, case-insensitive, census, chain, Chinese, Citus, citext, clones, cluster, collision, colours, confusable, COPY, cores,
consecutive rows, cosine, count duplicates, counter, crash reports, CRM, CSV, CSV export, CTE, ctid, Damerau, data cleaning, dedupe, did you mean, diff, dismissed pairs,
distinct, DNA, Docker, DuckDB, e-mail address, Elasticsearch, emoji, entity resolution, Excel, exceeds maximum length of 255, EXISTS, EXPLAIN, false positives,
feed, fingerprint of a molecule, flat, foreign table, full text search, fuzzy join, fuzzystrmatch, fuzzywuzzy, GDPR, genealogy,
giant cluster, golden record, GoldenMatch, GPU, homoglyph, host, house number, hiragana, Hindi, homework, IBAN, image, index not used, invoice, IP address, ISBN,
Jaro-Winkler, job ads, JSON, k-mer, keep the newest, KYC, Korean, LATERAL, latitude, legal form, Levenshtein, licence, license, LIKE, LLM, log lines, LSH,
macOS, managed service, materialized view, MCP, MinHash, misspelling, more like this, n-gram, nearest neighbours, nickname, not a duplicate, NULL, number plate,
OCR error, OR, orders, overlap coefficient, parallel, parameters, part number, partition, pandas, patient, percent, Persian, PGlite, pg_trgm, phone, phonetic, placeholder, plagiarism,
plus, postcode, prefix, preload, prepared statement, privacy, progress, punctuation, RAG, RapidFuzz, RDS, recordlinkage, review queue, row-level security,
s390x, sanctions list, SARS, schema, score, search_path, self join, simhash, sizes, SKU, slow, soundex, Spark, Splink, SQL injection, stable entity id, statistics, stemming, street types, student, subject access, subtitles,
superuser, Supabase, swapped names, synonym, Tanimoto, tenant, thefuzz, threads, threshold, time window, timeout, traditional and simplified Chinese, transcripts, transitive, transliteration,
trigger, Turkish, Tversky, tweets, typo, unaccent, undo of a deletion, uninstall, unit, upgrade, upsert, URL, variants, version of PostgreSQL, WAL, which row stays,
whitespace, Windows, winnowing, word order, workers, wildcard, ZIP code
WORDS
is(join(', ', grep { length && $found !~ /(?<!\w)\Q${\lc}\E(?!\w)/ } @words), '', 'the index of the questions has every word that was searched');

done_testing();
