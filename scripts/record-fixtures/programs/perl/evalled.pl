eval "\n\ndie 'in eval'";
die $@;
