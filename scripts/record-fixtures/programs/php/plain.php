<?php

require __DIR__ . '/src/Cart.php';

function main(array $lines): int
{
    return (new Shop\Cart($lines))->total();
}

main([1, 2]);
