<?php

require __DIR__ . '/src/Cart.php';

(new Shop\Cart([1]))->checkout('a customer with a long name');
