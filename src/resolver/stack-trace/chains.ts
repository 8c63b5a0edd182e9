import { sameFailureKey } from './fold.ts'
import type { RawException } from './trace-reader.ts'

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

export interface Chains {
  add: (found: Pick<Chain, 'language' | 'exceptions' | 'at'>) => void
  /** Whether any exception had a frame. */
  hasFrames: () => boolean
  /** Those that were kept, in the order of the text. */
  kept: () => Chain[]
}

/**
 * Collects failures while a text is read. Identical ones are folded into the first with a count at once; of different ones,
 * the first that together have `limit / 2` exceptions and as many of the last are kept: a log may hold more than fit into memory.
 *
 * @param isSorted - Whether they come in the order of the text. If not, all are kept.
 */
export function createChains (limit: number, isSorted: boolean): Chains {
  const byContent = new Map<string, Chain>()
  const head: Chain[] = []
  const tail: Chain[] = []
  let inHead = 0
  let inTail = 0
  let dropped = 0
  let hasFrames = false

  function keep (chain: Chain): void {
    if (inHead < limit / 2) {
      head.push(chain)
      inHead += chain.exceptions.length
      return
    }
    tail.push(chain)
    inTail += chain.exceptions.length
    if (!isSorted) return
    for (let first = tail[dropped]; first !== undefined && inTail - first.exceptions.length >= limit / 2; first = tail[dropped]) {
      inTail -= first.exceptions.length
      first.exceptions = []
      dropped++
    }
  }

  return {
    add ({ language, exceptions, at }) {
      hasFrames ||= exceptions.some(({ frames }) => frames.length > 0)
      const content = sameFailureKey(exceptions)
      const known = byContent.get(content)
      if (known === undefined) {
        const chain = { language, exceptions, count: 1, at, number: byContent.size }
        byContent.set(content, chain)
        keep(chain)
      } else {
        known.count++
        known.at = Math.min(known.at, at)
      }
    },
    hasFrames: () => hasFrames,
    kept () {
      const all = [...head, ...tail.slice(dropped)]
      return isSorted ? all : all.sort((a, b) => a.at - b.at).map((chain, number) => ({ ...chain, number }))
    },
  }
}
