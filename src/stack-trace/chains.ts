import { sameFailureKey } from './layout/fold.ts'
import type { RawException } from './failures.ts'

/** One failure: its exceptions, and how often it stood in the text. */
export interface Chain {
  language: string | null
  exceptions: RawException[]
  count: number
  /** Where in the posted text it begins: the lines of several containers were put together. */
  at: number
  /** Position among the different failures of the text. */
  number: number
}

/** The failures of a text, collected while it is read. */
interface Chains {
  add: (found: Pick<Chain, 'language' | 'exceptions' | 'at'>) => void
  /** Whether any exception had a frame. */
  hasFrames: () => boolean
  /** Those that were kept, in the order of the text. */
  kept: () => Chain[]
}

/** 53 bits of a text: to keep the contents of all failures of a long log would take more memory than the log. */
function hashOf(text: string): number {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 2_654_435_761)
    high = Math.imul(high ^ code, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0)
}

/**
 * Collects failures while a text is read. Identical ones are folded into the first with a count at once; of different
 * ones, the first that together have `limit / 2` exceptions and as many of the last are kept: a log may hold more than
 * fit into memory.
 *
 * @param isSorted - Whether they come in the order of the text. If not, all are kept.
 */
export function createChains(limit: number, isSorted: boolean): Chains {
  const byContent = new Map<number, Chain | null>() // null: one that was dropped
  const head: Chain[] = []
  const tail: Array<Chain & { content: number }> = []
  let inHead = 0
  let inTail = 0
  let dropped = 0 // at the beginning of `tail`
  let hasFrames = false

  function keep(chain: Chain & { content: number }): void {
    if (inHead < limit / 2) {
      head.push(chain)
      inHead += chain.exceptions.length
      return
    }
    tail.push(chain)
    inTail += chain.exceptions.length
    if (!isSorted) return
    for (
      let first = tail[dropped];
      first !== undefined && inTail - first.exceptions.length >= limit / 2;
      first = tail[dropped]
    ) {
      inTail -= first.exceptions.length
      byContent.set(first.content, null)
      dropped++
    }
    if (dropped > limit) tail.splice(0, dropped)
    dropped = dropped > limit ? 0 : dropped
  }

  return {
    add({ language, exceptions, at }) {
      hasFrames ||= exceptions.some(({ frames }) => frames.length > 0)
      const content = hashOf(sameFailureKey(exceptions))
      const known = byContent.get(content)
      if (known === undefined) {
        const chain = { language, exceptions, count: 1, at, number: byContent.size, content }
        byContent.set(content, chain)
        keep(chain)
      } else if (known !== null) {
        known.count++
        known.at = Math.min(known.at, at)
      }
    },
    hasFrames: () => hasFrames,
    kept() {
      const all = [...head, ...tail.slice(dropped)]
      return isSorted ? all : all.sort((a, b) => a.at - b.at).map((chain, number) => ({ ...chain, number }))
    },
  }
}
