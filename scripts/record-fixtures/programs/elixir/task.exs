Code.require_file("cart.exs", __DIR__)

defmodule Main do
  def run do
    result = Task.async(fn -> Shop.Cart.pay(3) end) |> Task.await()
    {:ok, result}
  end
end

Main.run()
