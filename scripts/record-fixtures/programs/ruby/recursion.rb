require_relative 'lib/cart'
Cart.new([]).walk(0)
