<?php

function price(array $line): int
{
    return $line['price'];
}

echo price(['price' => 1]), "\n";
echo price([]), "\n";
