<?php

require __DIR__ . '/src/Cart.php';

try {
    (new Shop\Cart([1]))->checkout('Ann');
} catch (Throwable $error) {
    echo '[2026-11-21 10:00:00] local.ERROR: ', $error->getMessage(), ' {"exception":"[object] (', get_class($error), '(code: ', $error->getCode(), '): ', $error->getMessage(), ' at ', $error->getFile(), ':', $error->getLine(), ")\n[stacktrace]\n", $error->getTraceAsString(), "\n\"} \n";
    echo $error, "\n";
}

function trace(): void
{
    debug_print_backtrace();
}
trace();
