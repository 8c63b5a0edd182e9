const ZONES = [
  { countries: ['DE', 'AT'], base: 490, perKilogram: 80 },
  { countries: ['FR', 'NL', 'PL'], base: 890, perKilogram: 120 },
]
const WORLD = { base: 1990, perKilogram: 600 }

/** Shipping in cents: a base price of the zone and an amount for each kilogram begun. */
export function shippingFor (country, lines) {
  const grams = lines.reduce((sum, { product, quantity }) => sum + product.grams * quantity, 0)
  const zone = ZONES.find(({ countries }) => countries.includes(country)) ?? WORLD
  return zone.base + zone.perKilogram * Math.ceil(grams / 1000)
}
