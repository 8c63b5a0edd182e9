Code.require_file("cart.exs", __DIR__)
ExUnit.start(colors: [enabled: false], seed: 0)

defmodule Shop.CartTest do
  use ExUnit.Case

  test "adds up" do
    assert Shop.Cart.total([]) == 2
  end

  test "checks out" do
    Shop.Cart.checkout([])
  end
end
