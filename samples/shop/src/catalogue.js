const PRODUCTS = [
  { sku: 'tea-assam', name: 'Assam, 250 g', category: 'tea', cents: 890, grams: 250 },
  { sku: 'tea-sencha', name: 'Sencha, 100 g', category: 'tea', cents: 1250, grams: 100 },
  { sku: 'pot-clay', name: 'Clay teapot, 0.8 l', category: 'pots', cents: 3900, grams: 1100 },
  { sku: 'cup-thin', name: 'Thin cup', category: 'cups', cents: 1400, grams: 140 },
]

const bySku = new Map(PRODUCTS.map(product => [product.sku, product]))

export function find (sku) {
  const product = bySku.get(sku)
  if (product === undefined) throw new Error(`There is no article ${sku}`)
  return product
}
