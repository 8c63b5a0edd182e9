<?php

namespace Shop;

class EmptyCart extends \RuntimeException
{
}

class Cart
{
    public function __construct(private ?array $lines)
    {
    }

    public function total(): int
    {
        return array_sum(array_map(fn ($line) => intdiv($line, 0), $this->lines));
    }

    public function checkout(string $customer): int
    {
        try {
            return $this->total();
        } catch (\Throwable $error) {
            throw new EmptyCart("nothing to pay\nfor $customer", 17, $error);
        }
    }

    public static function walk(int $depth): int
    {
        return self::walk($depth + 1) + 1;
    }
}
