import { createHash } from 'node:crypto'

/** The weight of a node for a key: 48 bits of a hash, so that it is a whole number. */
function weightOf(node: string, key: string): number {
  return createHash('sha256').update(`${node}\0${key}`).digest().readUIntBE(0, 6)
}

/**
 * The node that a key belongs to: the one with the highest weight for it (highest random weight, Thaler and
 * Ravishankar 1998). Every node finds the same one without asking, and when one leaves, only the keys that were its own
 * move.
 *
 * @param nodes - Their names, in any order.
 * @returns Null where there are no nodes.
 */
export function ownerOf(nodes: Iterable<string>, key: string): string | null {
  let owner: string | null = null
  let highest = -1
  for (const node of nodes) {
    const weight = weightOf(node, key)
    const isHigher = weight > highest || (weight === highest && owner !== null && node < owner)
    if (!isHigher) continue
    owner = node
    highest = weight
  }
  return owner
}

const MAX_KNOWN = 10_000

/** Which of several nodes keep which projects, as `ownerOf` says; the hashes are made once while the nodes stay. */
export class Owners {
  #nodes = ''
  readonly #known = new Map<string, string | null>()

  of(nodes: readonly string[], key: string): string | null {
    const present = nodes.join('\n')
    if (present !== this.#nodes || this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#nodes = present
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const owner = ownerOf(nodes, key)
    this.#known.set(key, owner)
    return owner
  }
}
