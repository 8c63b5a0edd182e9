interface Line { product: { price: number }, count: number }

function price (line: Line): number {
  return line.product.price * line.count
}

async function main (): Promise<void> {
  await null
  console.log(price({ count: 1 } as Line))
}

await main()
