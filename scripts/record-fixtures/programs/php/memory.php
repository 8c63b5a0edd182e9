<?php

ini_set('memory_limit', '8M');
$all = [];
while (true) {
    $all[] = str_repeat('x', 100000);
}
