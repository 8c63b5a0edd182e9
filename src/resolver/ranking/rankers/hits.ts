import type { ChunkHit } from '../../code/code-reader.ts'

/** Lines that evidence points to, 1-based and inclusive. */
export interface Lines {
  startLine: number
  endLine: number
}

/** What one ranker knows about one file. */
export interface RankerHit {
  repository: string
  path: string
  /** Above 0; comparable within one list only. */
  score: number
  /** For a person: what speaks for the file. */
  why: string
  /** Where in the file it points, the most telling first. */
  lines: Lines[]
}

type ScoredFile = Pick<RankerHit, 'repository' | 'path' | 'score'>

/** Best first, no file twice; ties by path. */
export type RankerHits = readonly RankerHit[]

const MAX_LINES = 3

const MAX_KEYS = 20_000
const keys = new Map<string, { repository: string; key: string }>()

/**
 * A key for a file. Rankers ask thousands of times a trace, so the same string object is returned: another one would
 * have to be hashed and compared anew.
 */
export function fileKey({ repository, path }: { repository: string; path: string }): string {
  const known = keys.get(path)
  if (known?.repository === repository) return known.key
  const key = `${repository}\n${path}`
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(path, { repository, key })
  return key
}

/** Best first; ties by path. */
export const byScore = (a: ScoredFile, b: ScoredFile): number => b.score - a.score || (fileKey(a) < fileKey(b) ? -1 : 1)

/** Sums up the evidence for each file; the strongest gives the reason. */
export class HitSum {
  readonly #files = new Map<string, RankerHit & { best: number }>()

  /**
   * Adds evidence for a file.
   *
   * @param why - Called only when the reason is needed.
   */
  add(file: { repository: string; path: string }, gain: number, why: () => string, lines?: Lines): void {
    const key = fileKey(file)
    let known = this.#files.get(key)
    if (known === undefined) {
      this.#files.set(
        key,
        (known = { repository: file.repository, path: file.path, score: 0, why: '', lines: [], best: 0 }),
      )
    }
    known.score += gain
    if (lines !== undefined && known.lines.length < MAX_LINES) {
      if (gain > known.best) known.lines.unshift(lines)
      else known.lines.push(lines)
    }
    if (gain > known.best) {
      known.best = gain
      known.why = why()
    }
  }

  take(most: number): RankerHit[] {
    return [...this.#files.values()]
      .map(({ repository, path, score, why, lines }) => ({ repository, path, score, why, lines }))
      .sort(byScore)
      .slice(0, most)
  }
}

/** The files of chunks that were found; a file scores as its best chunk does. */
export function filesOfChunks(hits: readonly ChunkHit[], why: (hit: ChunkHit) => string, most: number): RankerHit[] {
  const files = new Map<string, RankerHit>()
  for (const hit of hits) {
    const { repository, path, score, startLine, endLine } = hit
    const key = fileKey(hit)
    const known = files.get(key)
    if (known === undefined) {
      if (files.size < most) files.set(key, { repository, path, score, why: why(hit), lines: [{ startLine, endLine }] })
    } else if (known.lines.length < MAX_LINES) known.lines.push({ startLine, endLine })
  }
  return [...files.values()]
}
