use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Cart;

my $unset;
print 'price: ' . $unset . "\n";
print Cart->new(1)->total;
