/**
 * An endless row of 32-bit numbers, the same for the same seed on every machine (splitmix, mixed as in MurmurHash3).
 * Not for secrets.
 */
export function seededBits(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e37_79b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
}
