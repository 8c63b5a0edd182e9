require_relative 'lib/cart'

def main
  Cart.new(nil).total
end

main
