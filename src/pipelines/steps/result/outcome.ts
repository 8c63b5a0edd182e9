import { FaultlineError } from '../../../core/errors.ts'
import type { JobFile } from '../../../core/job.ts'
import { commitMessage } from '../../../edits/write/commit-message.ts'
import { mailPatch } from '../../../edits/write/mail-patch.ts'
import { unifiedDiff } from '../../../edits/write/unified-diff.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { splitChanges, type BaseFiles, type Changes } from '../base/base-files.ts'
import type { ApartCommit } from './deliver.ts'

/** What a job changed, all in all. */
export type Outcome = {
  /** Made or changed. */
  files: JobFile[]
  deleted: string[]
  diff: string
}

/** In whose words the changes are described, and which of them come first, with words of their own. */
interface OutcomeOptions {
  request: string
  first?: ApartCommit
}

/**
 * What the changes come to, against the files that the job began with; keeps the diff for `GET /jobs/{id}/diff`, and
 * with the request's words as a mail for `/patch`. Within a step.
 *
 * @throws {FaultlineError} EDITS_REJECTED: git does not take the diff at the project's commit.
 */
export async function outcomeOf(
  job: JobContext,
  base: BaseFiles,
  changes: Changes,
  { request, first }: OutcomeOptions,
): Promise<Outcome> {
  const { changed, deleted } = changes
  const before = new Map<string, string>()
  const after = new Map<string, string | null>()
  for (const path of [...changed, ...deleted]) {
    const text = await base.read(path)
    if (text !== null) before.set(path, text)
    after.set(path, deleted.includes(path) ? null : (await job.files.read(path)).toString())
  }
  const diff = unifiedDiff(before, after)
  const problem = (await base.whyDiffFails?.(diff)) ?? null
  if (problem !== null) {
    throw new FaultlineError(
      'EDITS_REJECTED',
      `Git does not take the changes at the commit ${base.commit ?? ''}: ${problem}`,
      'GET /jobs/{id}/files has the changed files.',
    )
  }
  await job.setDiff(diff)
  if (diff !== '') {
    const date = new Date()
    const mail = (words: string, { changed: made, deleted: gone }: Changes): string => {
      const part = unifiedDiff(before, new Map([...made, ...gone].map(path => [path, after.get(path) ?? null])))
      return part === '' ? '' : mailPatch({ message: commitMessage(words), diff: part, date })
    }
    const parts = splitChanges(changes, first?.paths ?? [])
    await job.setPatch(`${first === undefined ? '' : mail(first.prompt, parts.first)}${mail(request, parts.rest)}`)
  }
  const kept = await job.files.list()
  const differs = new Set(changed.filter(path => before.get(path) !== after.get(path)))
  return {
    files: kept.filter(({ path }) => differs.has(path)),
    deleted: deleted.filter(path => before.has(path)),
    diff,
  }
}
