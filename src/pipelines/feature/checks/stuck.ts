import { distance } from 'fastest-levenshtein'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { DiagnoseDeps } from '../../steps/program/diagnose.ts'
import { printedFiles } from '../../steps/program/diagnose.ts'
import type { CurrentFiles } from '../../steps/base/base-files.ts'

/** An error of a round, as it is known again. */
export interface KnownError {
  /** What was printed. */
  text: string
  /** Equal for equal exceptions at equal places; null where nothing was thrown. */
  signature: string | null
}

/** The seed's. */
const SIMILAR = 0.9
/** The ends of longer texts are compared; this takes some ten milliseconds. */
const COMPARED_CHARS = 4_000

/** A text without what differs from run to run. */
function withoutNoise(text: string): string {
  return text
    .replace(/\b0x[0-9a-f]+\b/gi, '0x#')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '#')
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|s|µs|ns|seconds?|milliseconds?)\b/g, '#')
    .replace(/\bduration_ms:? \d+(?:\.\d+)?/g, 'duration_ms #')
    .replace(/\/tmp\/[^\s'":]+/g, '/tmp/#')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(-COMPARED_CHARS)
}

/** How alike two texts are, from 0 to 1: the share of characters that need no change. */
export function similarity(one: string, other: string): number {
  const [a, b] = [withoutNoise(one), withoutNoise(other)]
  const longest = Math.max(a.length, b.length)
  return longest === 0 ? 1 : 1 - distance(a, b) / longest
}

/** Whether two errors are one: their signatures decide, and where there is none, how alike they are (above 0.9). */
export function sameError(before: KnownError, now: KnownError): boolean {
  if (before.signature !== null && now.signature !== null) return before.signature === now.signature
  return similarity(before.text, now.text) > SIMILAR
}

/** Makes an error known, as a step: by the exception in what was printed, where there is one. */
export function knowError(
  job: Pick<JobContext, 'step'>,
  { diagnoseRun }: DiagnoseDeps,
  text: string,
  files: CurrentFiles,
): Promise<KnownError> {
  return job.step('error.signature', async () => {
    const output = { stdout: text, stderr: '' }
    const { signature, faults } = await diagnoseRun({ ...output, ending: '' }, await printedFiles(output, files))
    return { text, signature: faults.some(({ places }) => places.length > 0) ? signature : null }
  })
}
