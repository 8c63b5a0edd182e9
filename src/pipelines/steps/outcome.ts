import type { JobFile } from '../../core/job.ts'
import { unifiedDiff } from '../../edits/unified-diff.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { BaseFiles, Changes } from './base-files.ts'

export type Outcome = {
  /** Made or changed. */
  files: JobFile[]
  deleted: string[]
  diff: string
}

/** What the changes come to, against the files that the job began with; keeps the diff for `GET /jobs/{id}/diff`. Within a step. */
export async function outcomeOf (job: JobContext, base: BaseFiles, { changed, deleted }: Changes): Promise<Outcome> {
  const before = new Map<string, string>()
  const after = new Map<string, string | null>()
  for (const path of [...changed, ...deleted]) {
    const text = await base.read(path)
    if (text !== null) before.set(path, text)
    after.set(path, deleted.includes(path) ? null : (await job.files.read(path)).toString())
  }
  const diff = unifiedDiff(before, after)
  job.setDiff(diff)
  const differs = new Set(changed.filter(path => before.get(path) !== after.get(path)))
  return { files: job.files.list().filter(({ path }) => differs.has(path)), deleted: deleted.filter(path => before.has(path)), diff }
}
