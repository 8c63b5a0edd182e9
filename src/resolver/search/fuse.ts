import type { SearchHit } from '../../core/resolution.ts'
import { kindOfPath } from '../code/path-kinds.ts'
import { gainOf } from '../ranking/fusion.ts'
import { byScore, fileKey, type Lines } from '../ranking/rankers/hits.ts'
import type { SearchList } from './lists.ts'

/** A file that a search found, with where in it the lists point. */
export interface FoundFile {
  repository: string
  path: string
  /** In (0, 1]; 1 for a file that is first in every list. */
  score: number
  /** The list that contributes most. */
  reason: SearchHit['reason']
  /** The places in the file that lists point to, and how much each contributes. */
  places: Array<{ lines: Lines; gain: number }>
}

/** A list's second place in a file counts half as much as the first, the third a third. */
const fading = (position: number): number => 1 / (1 + position)

/**
 * Joins rankings of files by weighted sums of reciprocal ranks and scores. Ties by path.
 *
 * @param ofTest - Added for a file of tests.
 */
export function fuseFiles(lists: readonly SearchList[], { ofTest }: { ofTest: number }): FoundFile[] {
  const most = lists.reduce((sum, { weight: { rank, score = 0 } }) => sum + rank + score, 0)
  const found = new Map<string, FoundFile & { best: number }>()
  for (const { reason, weight, files } of lists) {
    for (const [position, file] of files.entries()) {
      const gain = gainOf(weight, position, file.score)
      const key = fileKey(file)
      let known = found.get(key)
      if (known === undefined) {
        found.set(
          key,
          (known = {
            repository: file.repository,
            path: file.path,
            score: kindOfPath(file.path).isTest ? ofTest : 0,
            reason,
            places: [],
            best: 0,
          }),
        )
      }
      known.score += gain
      if (gain > known.best) Object.assign(known, { best: gain, reason })
      for (const [i, lines] of file.lines.entries()) known.places.push({ lines, gain: gain * fading(i) })
    }
  }
  return [...found.values()]
    .sort(byScore)
    .map(({ best: _, score, ...file }) => ({ ...file, score: Math.max(score / most, Number.EPSILON) }))
}
