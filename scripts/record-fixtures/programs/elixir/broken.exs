defmodule Broken do
  def open(key), do: kye
end
