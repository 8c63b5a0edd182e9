<?php

$phar = new Phar('/srv/app/php/till.phar');
$phar->addFile('src/Cart.php');
$phar->addFromString('run.php', "<?php\nrequire 'phar://till.phar/src/Cart.php';\n(new Shop\\Cart([1]))->total();\n");
$phar->setStub("<?php\nPhar::mapPhar('till.phar');\nrequire 'phar://till.phar/run.php';\n__HALT_COMPILER();\n");
