require_relative '../lib/cart'

RSpec.describe Cart do
  it 'adds up' do
    expect(Cart.new([]).total).to eq 2
  end

  it 'has prices' do
    Cart.new([1]).total
  end

  it 'checks out' do
    Cart.new(nil).checkout
  end
end
