class Cart
  class Empty < StandardError; end

  def initialize(lines) = @lines = lines

  def total
    @lines.sum { |line| line.price }
  end

  def checkout
    total
  rescue NoMethodError
    raise Empty, "nothing to pay\nfor cart 17"
  end

  def walk(depth)
    walk(depth + 1)
  end
end
