<?php

require_once __DIR__ . '/../src/Cart.php';

use PHPUnit\Framework\TestCase;

class CartTest extends TestCase
{
    public function testAddsUp(): void
    {
        $this->assertSame(2, (new Shop\Cart([]))->total());
    }

    public function testChecksOut(): void
    {
        (new Shop\Cart([1]))->checkout('Ann');
    }

    public function testWarns(): void
    {
        $this->assertSame(1, [][3]);
    }
}
