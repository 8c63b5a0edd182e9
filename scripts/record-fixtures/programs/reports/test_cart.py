def total(lines):
    return sum(line["price"] for line in lines)


def test_adds_up():
    assert total([]) == 2, "a < b & c"


def test_has_prices():
    total([{}])
