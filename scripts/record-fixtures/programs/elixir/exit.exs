Code.require_file("cart.exs", __DIR__)

defmodule Main do
  def run do
    result = exit({:shutdown, Shop})
    {:ok, result}
  end
end

Main.run()
