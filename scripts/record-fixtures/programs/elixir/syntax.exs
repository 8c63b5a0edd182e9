defmodule Broken do
  def open(key do
end
