function price (line) {
  return line.product.price * line.count
}

function total (lines) {
  return lines.reduce((sum, line) => sum + price(line), 0)
}

function checkout (lines) {
  try {
    return total(lines)
  } catch (error) {
    throw new Error('cannot pay', { cause: error })
  }
}

module.exports = { price, total, checkout }
