require 'logger'
require_relative 'lib/cart'

logger = Logger.new($stdout)
2.times do
  Cart.new([1]).total
rescue => error
  logger.error(error)
end
begin
  Cart.new([1]).checkout
rescue => error
  logger.warn('skipped')
  puts "#{error.class}: #{error.message}", error.backtrace
end
warn 'careful', uplevel: 0
