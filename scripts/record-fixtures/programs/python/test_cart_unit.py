import unittest

from shop import checkout, total


class CartTest(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(total([{"count": 1, "price": 1}]), 2)

    def test_error(self):
        """A cart without lines."""
        checkout([])

    def test_each(self):
        for count in (1, 2):
            with self.subTest(count=count):
                self.assertEqual(total([{"count": count, "price": 1}]), 1)


if __name__ == "__main__":
    unittest.main()
