require 'minitest/autorun'
require_relative '../lib/cart'

class CartTest < Minitest::Test
  def test_adds_up
    assert_equal 2, Cart.new([]).total
  end

  def test_has_prices
    Cart.new([1]).total
  end

  i_suck_and_my_tests_are_order_dependent!
end
