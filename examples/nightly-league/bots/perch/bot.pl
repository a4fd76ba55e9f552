# A bot: Perl 5 with the modules that come with it. Write `choose`; the rest may stay as it is.

use strict;
use warnings;

use JSON::PP;
use List::Util qw(shuffle);

# Pick between `least` and `most` different ones of `options`, by index. Here: any.
#
# `arena rules GAME` tells what they mean, and what stands in $question->{observation} and $question->{events}.
# An answer has $question->{time} milliseconds. Look at things with `print STDERR ...` or `warn`.
sub choose {
    my ($question) = @_;
    my @options = @{ $question->{options} };
    my $size    = $question->{least} + int rand $question->{most} - $question->{least} + 1;
    my @indexes = shuffle 0 .. $#options;
    return @indexes[ 0 .. $size - 1 ];
}

$| = 1;    # each line is written at once
my $json = JSON::PP->new;
while ( my $line = <STDIN> ) {
    my $message = $json->decode($line);
    if ( $message->{type} eq 'hello' ) {
        # a match begins: its seed lets equal questions get equal answers; srand takes 32 bits
        srand $message->{seed} % 4294967291;
        print $json->encode( { type => 'ready' } ), "\n";
    }
    elsif ( $message->{type} eq 'decide' ) {
        my @picks = map { $_ + 0 } choose($message);
        # a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
        print $json->encode( { type => 'choose', id => $message->{id}, picks => \@picks } ), "\n";
    }
    # else it is "over", with `ranks` and `scores`, or something of a later version
}
