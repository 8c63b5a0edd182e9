eval("1 +\nnil.size")
