use FindBin;
use lib "$FindBin::Bin/lib";
use Cart;

sub main {
    my ($customer) = @_;
    return eval { Cart->new->checkout($customer); 1 } || die $@;
}

main('Ann (the first)');
