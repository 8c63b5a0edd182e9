import { LOW_CONFIDENCE } from './learned-weights.ts'
import type { RankedFile } from './ranked-file.ts'

const NOTHING_FOUND = [
  'Low confidence: nothing in the text leads to a file of the project.',
  'Post the whole trace with its messages, or check that this is the right project.',
].join(' ')

/** What a reader should know before following the first file; null when the evidence for it is clear. */
export function confidenceNotice(files: readonly Pick<RankedFile, 'path' | 'score'>[]): string | null {
  const best = files[0]
  if (best === undefined) return NOTHING_FOUND
  if (best.score >= LOW_CONFIDENCE) return null
  return [
    `Low confidence: no file stands out. The first, ${best.path}, is the one to change in one of four such cases,`,
    'so look at the first five before changing any. A longer trace with its messages tells more.',
  ].join(' ')
}
