import { seededBits } from '../../src/embedding/lsa/seeded-random.ts'

/** Draws `count` entries without repeating any, the same for the same seed, in the order of the list. */
export function draw<T>(entries: readonly T[], count: number, seed: number): T[] {
  const bits = seededBits(seed)
  const places = [...entries.keys()]
  const wanted = Math.min(count, places.length)
  for (let place = 0; place < wanted; place++) {
    const other = place + (bits() % (places.length - place))
    const [left = 0, right = 0] = [places[place], places[other]]
    places[place] = right
    places[other] = left
  }
  return places
    .slice(0, wanted)
    .sort((a, b) => a - b)
    .flatMap(place => entries.slice(place, place + 1))
}
