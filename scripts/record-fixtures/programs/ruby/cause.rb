require_relative 'lib/cart'

begin
  Cart.new(nil).checkout
rescue Cart::Empty
  Integer('x17')
end
