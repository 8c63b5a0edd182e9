import { FaultlineError } from '../../../core/errors.ts'
import type { JobContext } from '../../../jobs/job-context.ts'

/** The files that a job keeps, as texts. To be read within steps: a replay would see what later steps made of them. */
export async function readKept({ files }: Pick<JobContext, 'files'>): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const { path } of await files.list()) texts.set(path, (await files.read(path)).toString())
  return texts
}

/** A record of files in a body that was checked when it came. */
export function filesOf(files: unknown): Map<string, string> {
  if (files === undefined) return new Map()
  if (
    typeof files !== 'object' ||
    files === null ||
    !Object.values(files).every(content => typeof content === 'string')
  ) {
    throw new FaultlineError('BAD_REQUEST', 'The stored files of this job are not complete.', 'Send the request again.')
  }
  return new Map(Object.entries(files as Record<string, string>))
}
