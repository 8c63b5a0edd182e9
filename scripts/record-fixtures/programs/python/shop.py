def total(lines):
    return sum(price(line) for line in lines)


def price(line):
    return line["count"] * line["price"]


def checkout(cart):
    if not cart:
        raise ValueError("nothing to pay\nfor cart %s" % id_of(cart))
    return total(cart)


def id_of(cart):
    return "C-17"
