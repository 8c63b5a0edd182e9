# pip carries the library that many command line tools print their tracebacks with.
from pip._vendor.rich.traceback import install

from shop import checkout, total

install(width=88)


def pay(lines):
    try:
        return total(lines)
    except KeyError as error:
        checkout([])


pay([{"count": 1}])
