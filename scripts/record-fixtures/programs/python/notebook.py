# What a notebook shows: IPython formats the error of a cell.
import sys

from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="NoColor", xmode=sys.argv[1])
shell.run_cell("from shop import checkout, total\ndef pay(lines):\n    return total(lines)")
shell.run_cell("pay([{'count': 1}])")
shell.run_cell("try:\n    pay([{}])\nexcept KeyError as error:\n    checkout([])")
shell.run_cell("for i in range(3)\n    pass")
