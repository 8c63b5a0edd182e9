require_relative 'lib/cart'
worker = Thread.new { [1].each { |price| Cart.new([price]).total } }
worker.join
