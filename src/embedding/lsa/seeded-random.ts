/** An endless row of 32-bit numbers, the same for the same seed on every machine (splitmix, mixed as in MurmurHash3). Not for secrets. */
export function seededBits (seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9E37_79B9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85EB_CA6B)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xC2B2_AE35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
}
