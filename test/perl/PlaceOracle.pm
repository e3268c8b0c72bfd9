# PlaceOracle: from which characters of a text its words come, character by character.
#
# What a character becomes by itself is asked of the server, between two that nothing composes with. All else
# is here: characters are joined by the classes and compositions that Perl knows, and words by their rule.
#
# Places are [first, last] characters, from 1. A character and the marks on it have one place; marks on what
# is no part of a word have a place without it. What becomes nothing has none.
package PlaceOracle;

use strict;
use warnings;

use Encode;
use Unicode::Normalize qw(NFC NFD NFKD getCombinClass);

# Characters that become several, and what may be beside them.
our @SEVERAL = ("\x{df}", "\x{bd}", "\x{337f}", "\x{338f}", "\x{fdfa}", "\x{2474}", "\x{1c6}", "\x{1fb7}", "\x{a8}", "\x{1fed}", "\x{2a75}", "\x{390}", "\x{e33}", "\x{ac01}", "\x{2260}",
    "\x{ff21}");
our @BESIDE = (
    '', ' ', '"', "\n", '. ', '-', '=', 'a', 'B', '7', "\x{e9}", "\x{301}", "\x{327}", "\x{338}", "\x{345}", "\x{20e3}", "\x{2026}", "\x{1f468}\x{200d}\x{1f469}", "\x{ad}", "\x{200d}",
    "\x{6771}", "\x{304b}", "\x{3099}", "\x{e01}", "\x{e38}", "\x{1100}", "\x{1161}", "\x{11a8}", "\x{ac00}", "\x{9c7}", "\x{9be}", "\x{5e9}", "\x{634}", "\x{651}");

my $IOTA_BELOW = "\x{345}";
my $IOTA = "\x{3b9}";

# Reads what characters become, of those that Perl's version of Unicode has, too; all others become a blank.
sub new
{
    my ($class, $node) = @_;
    my $self = bless { becomes => {}, is_unspaced => {} }, $class;
    my $rows = Encode::decode('UTF-8', $node->safe_psql('postgres', <<'SQL'));
SELECT c, translate(substr(n, 2, length(n) - 2), ' ', '_'), cardinality(word_set(' ' || chr(c) || 'b'))
FROM generate_series(1, 917999) AS c, LATERAL normalize_text('東' || CASE WHEN c NOT BETWEEN 55296 AND 57343 THEN chr(c) END || '東') AS n
WHERE n <> '東 東'
SQL

    for my $row (split /\n/, $rows)
    {
        my ($code, $becomes, $words) = split /\|/, $row, -1;
        my $character = chr $code;
        next if $character =~ /\p{Unassigned}/;
        $self->{becomes}{$character} = $becomes =~ tr/_/ /r;
        $self->{is_unspaced}{$character} = 1 if $words == 2;
    }
    return $self;
}

# The characters that are not by themselves what they become, or that others compose to.
sub changing
{
    my ($self) = @_;

    return sort grep { my $becomes = $self->{becomes}{$_}; $becomes ne ' ' && ($becomes ne $_ || NFD($_) ne $_) } keys %{ $self->{becomes} };
}

# The decomposed characters of the text, each with the number of the one that it comes from; a blank also with
# what it was, since marks may compose with that.
sub parts
{
    my ($self, $text) = @_;
    my @parts;
    my $number = 0;

    for my $character (split //, $text)
    {
        my $becomes = $self->{becomes}{$character} // ' ';
        $number++;
        if ($becomes eq ' ')
        {
            NFKD($character) =~ /(\PM\pM*)\z/;
            push @parts, [ ' ', $number, $1 // ' ' ];
            next;
        }
        $becomes = NFD($becomes);
        # The iota below is a mark until marks are in order.
        $becomes =~ s/$IOTA\z/$IOTA_BELOW/ if NFD($character) =~ /$IOTA_BELOW\z/;
        push @parts, map { [ $_, $number, $_ ] } split //, $becomes;
    }
    return @parts;
}

# [characters, first, last] of each starter with its marks, which are [' ', first, last] for a blank.
sub composed
{
    my ($self, $text) = @_;
    my (@groups, @composed);

    for my $part ($self->parts($text))
    {
        if (@groups && getCombinClass(ord $part->[0])) { push @{ $groups[-1] }, $part }
        else { push @groups, [$part] }
    }
    for my $group (@groups)
    {
        my ($starter, @marks) = @$group;
        my $iotas = grep { $_->[0] eq $IOTA_BELOW } @$group;
        my $characters = NFC(join '', grep { $_ ne $IOTA_BELOW } map { $_->[2] } @$group) . $IOTA x $iotas;
        if ($starter->[0] eq ' ')
        {
            my $rest = substr $characters, 1;
            push @composed, [ ' ', $starter->[1], $rest eq '' ? $group->[-1][1] : $starter->[1] ];
            push @composed, [ $rest, $marks[0][1], $marks[-1][1] ] if $rest ne '';
            next;
        }
        my $before = $composed[-1];
        # Two starters may compose: parts of Hangul syllables, vowel signs.
        if ($before && $before->[0] ne ' ' && NFC(substr($before->[0], -1) . substr $characters, 0, 1) =~ /\A.\z/s)
        {
            @$before[ 0, 2 ] = (NFC($before->[0] . $characters), $group->[-1][1]);
            next;
        }
        push @composed, [ $characters, $starter->[1], $group->[-1][1] ];
    }
    return @composed;
}

# [character, first, last] of each character of the normalized text.
sub characters
{
    my ($self, $text) = @_;
    my @characters;

    # Kept until another text comes, since words and tokens begin with them.
    return @{ $self->{characters} } if defined $self->{text} && $self->{text} eq $text;
    for my $composed ($self->composed($text))
    {
        my ($characters, $first, $last) = @$composed;
        if ($characters ne ' ') { push @characters, map { [ $_, $first, $last ] } split //, $characters }
        elsif (!@characters) { next }
        elsif ($characters[-1][0] eq ' ') { $characters[-1][2] = $last }
        else { push @characters, [ ' ', $first, $last ] }
    }
    pop @characters if @characters && $characters[-1][0] eq ' ';
    @$self{qw(text characters)} = ($text, \@characters);
    return @characters;
}

# [word, first, last, is_unspaced, follows] of each word: of what stands between blanks, or one character, with
# its marks, of a script without spaces. It follows if nothing is between it and such a word before it.
sub words
{
    my ($self, $text) = @_;
    my @words;
    my $follows = 0;

    for my $character ($self->characters($text))
    {
        my ($letter, $first, $last) = @$character;
        my $is_unspaced = $self->{is_unspaced}{$letter} // 0;
        my $word = $follows ? $words[-1] : undef;

        if ($letter eq ' ') { $follows = 0 }
        elsif ($word && ($letter =~ /\pM/ || (!$word->[3] && !$is_unspaced)))
        {
            $word->[0] .= $letter;
            $word->[2] = $last;
        }
        else
        {
            push @words, [ $letter, $first, $last, $is_unspaced, $word && $word->[3] && $is_unspaced ? 1 : 0 ];
            $follows = 1;
        }
    }
    return @words;
}

# [first, last] of each word of word_tokens, in which characters of scripts without spaces come in pairs.
sub tokens
{
    my ($self, $text) = @_;
    my @words = $self->words($text);
    my @tokens;

    for my $i (0 .. $#words)
    {
        my (undef, $first, $last, $is_unspaced, $follows) = @{ $words[$i] };
        my $next_follows = $i < $#words && $words[ $i + 1 ][4];

        if ($next_follows) { push @tokens, [ $first, $words[ $i + 1 ][2] ] }
        elsif (!$follows) { push @tokens, [ $first, $last ] }
    }
    return @tokens;
}

1;
