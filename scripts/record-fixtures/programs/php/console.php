<?php

require '/usr/share/php/Symfony/Component/Console/autoload.php';
require __DIR__ . '/src/Cart.php';

use Symfony\Component\Console\Application;

$application = new Application('till');
$application->register('sell')->setCode(function (): int {
    return (new Shop\Cart([1]))->checkout('Ann');
});
$application->run();
