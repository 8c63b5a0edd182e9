use Test::More tests => 2;
is(1 + 1, 3, 'adds up');
ok(0);
