defmodule Shop.Empty do
  defexception message: "nothing to pay\nfor cart 17"
end

defmodule Shop.Cart do
  def total(lines), do: Enum.sum(Enum.map(lines, &price/1))
  defp price(%{price: price}), do: price
  def checkout([]), do: raise(Shop.Empty)
  def pay(sum), do: sum / :erlang.length([])
end

defmodule Shop.Till do
  use GenServer
  def init(state), do: {:ok, state}
  def handle_call(:sell, _from, state), do: {:reply, Shop.Cart.pay(1), state}
end
