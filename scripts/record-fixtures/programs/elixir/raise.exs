Code.require_file("cart.exs", __DIR__)

defmodule Main do
  def run do
    result = Shop.Cart.checkout([])
    {:ok, result}
  end
end

Main.run()
