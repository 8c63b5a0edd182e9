package Cart;
use strict;
use warnings;
use Carp;

sub new {
    my ($class, @lines) = @_;
    return bless { lines => \@lines }, $class;
}

sub total {
    my ($self) = @_;
    my $sum = 0;
    $sum += $_->price for @{ $self->{lines} };
    return $sum;
}

sub checkout {
    my ($self, $customer) = @_;
    confess "no till for $customer" unless $self->{till};
}

sub pay {
    my ($self, $sum) = @_;
    croak 'nothing to pay' unless $sum;
}

1;
