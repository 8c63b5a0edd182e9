use strict;
my $price = 17;
print $prise;
if ($price { print 'x' }
