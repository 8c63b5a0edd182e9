import unittest

import pytest

from shop import checkout, total


@pytest.fixture
def cart():
    return [{"count": 2}]


def test_total():
    lines = [{"count": 2, "price": 3}]
    assert total(lines) == 7


def test_price(cart):
    total(cart)


def test_checkout():
    try:
        total([{"count": 1}])
    except KeyError as error:
        raise RuntimeError("cannot pay") from error


class TestCart(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(total([{"count": 1, "price": 1}]), 2, "sum")

    def test_error(self):
        checkout([])
