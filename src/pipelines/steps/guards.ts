import type { Guard } from '../../contract/guards.ts'
import type { Verification } from '../../contract/verification.ts'
import type { ChangedFile, FailingPlace } from '../../guards/guard.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { currentFiles, type BaseFiles, type Changes } from './base/base-files.ts'

/** Finds what of a change hides a failure instead of mending it. */
export type FindGuards = (files: readonly ChangedFile[], failing: FailingPlace | null) => Guard[]

/** A change to look at, and the fault that it is to mend. */
interface LookedAt {
  base: BaseFiles
  changes: Changes
  located: { error: string; failing?: { path: string; line: number | null } | null }
}

/** The texts of a change on both sides. To be read within steps. */
export async function changedFiles(
  job: Pick<JobContext, 'files'>,
  { base, changes }: Pick<LookedAt, 'base' | 'changes'>,
): Promise<ChangedFile[]> {
  const current = currentFiles(job, base, changes)
  const files: ChangedFile[] = []
  for (const path of new Set([...changes.changed, ...changes.deleted])) {
    files.push({ path, before: await base.read(path), after: await current.read(path) })
  }
  return files
}

/** Looks at a change for fixes of the symptom, in a step of its own. */
export async function lookForGuards(
  job: Pick<JobContext, 'step' | 'files'>,
  findGuards: FindGuards,
  { base, changes, located }: LookedAt,
): Promise<Guard[]> {
  return await job.step('guards', async () => {
    const files = await changedFiles(job, { base, changes })
    const { path = null, line = null } = located.failing ?? {}
    return findGuards(files, path === null || line === null ? null : { path, line, error: located.error })
  })
}

const DOUBT = 'What failed before passes now, but the change may only hide the failure: see its guards.'

/** What may be said of a change: tests that pass show nothing where the failure may only be hidden. */
export function withGuards<Checks extends { verification: Verification; verificationReason: string | null }>(
  checks: Checks,
  guards: Guard[],
): Checks & { guards: Guard[] } {
  if (guards.length === 0 || checks.verification !== 'verified') return { ...checks, guards }
  return { ...checks, verification: 'partially_verified', verificationReason: DOUBT, guards }
}
