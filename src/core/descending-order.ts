const MANTISSA_LOW_BITS = 32

/** Sorts a nearly sorted list of positions: largest value first, of equal ones the lower position. */
function settle(order: Uint32Array, values: Float64Array): void {
  for (let at = 1; at < order.length; at++) {
    const moving = order[at] ?? 0
    const value = values[moving] ?? 0
    let to = at
    for (; to > 0; to--) {
      const before = order[to - 1] ?? 0
      const other = values[before] ?? 0
      if (other > value || (other === value && before < moving)) break
      order[to] = before
    }
    order[to] = moving
  }
}

/**
 * The positions of finite values that are not below zero, the largest first, equal ones in their order. Several times
 * quicker than sorting with a function that compares: the numbers are sorted natively with their positions in the
 * lowest bits of their fractions, and what that brought out of order is put right.
 */
export function descendingOrder(values: Float64Array): Uint32Array {
  const { length } = values
  const bits = MANTISSA_LOW_BITS - Math.clz32(length)
  const mask = bits === MANTISSA_LOW_BITS ? 0xffffffff : 2 ** bits - 1
  const keys = Float64Array.from(values)
  const words = new Uint32Array(keys.buffer)
  // the low word of each number comes first: Node runs on little-endian machines only
  for (let i = 0; i < length; i++) words[2 * i] = (((words[2 * i] ?? 0) & ~mask) | (length - 1 - i)) >>> 0
  keys.sort()
  const order = new Uint32Array(length)
  for (let i = 0; i < length; i++) order[length - 1 - i] = length - 1 - ((words[2 * i] ?? 0) & mask)
  settle(order, values)
  return order
}
