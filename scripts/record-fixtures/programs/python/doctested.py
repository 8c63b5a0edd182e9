"""
>>> from shop import price
>>> price({"count": 2, "price": 3})
7
>>> price({"count": 2})
6
"""

if __name__ == "__main__":
    import doctest
    doctest.testmod()
