use FindBin;
use lib "$FindBin::Bin/lib";
use Cart;

while (my $line = <DATA>) {
    Cart->new->pay(0);
}
__DATA__
one
