import { FaultlineError } from '../../../core/errors.ts'
import { unifiedDiff } from '../../../edits/write/unified-diff.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { currentFiles } from '../../steps/base/base-files.ts'
import { aiderCoder, type AiderDeps } from './aider.ts'
import type { CoderFeature, RunCoderTask } from './coder-task.ts'
import { ownCoder, type OwnCoderDeps } from './own-coder.ts'

/** What running a task of the coder needs. */
export interface CoderTaskDeps extends OwnCoderDeps, Omit<AiderDeps, 'model'> {}

/**
 * Makes the skill `run_coder_task` of one feature, over our own coder or the external one. The diff is against the
 * project: what earlier tasks changed of the same files is in it.
 *
 * @returns A function that throws OUT_OF_SCOPE where the coder insists on a change that it may not make.
 */
export function createRunCoderTask(job: JobContext, deps: CoderTaskDeps, feature: CoderFeature): RunCoderTask {
  const { base } = feature
  const coder = feature.coder === 'aider' ? aiderCoder : ownCoder

  async function refused(error: unknown): Promise<never> {
    if (error instanceof FaultlineError && error.code === 'OUT_OF_SCOPE') {
      const entry = { action: 'feature.code', target: error.message, outcome: 'refused' }
      await job.step('code.refused', () => job.audit(entry))
    }
    throw error
  }

  return async (input, on) => {
    const { success, changes, touched, output, errors } = await coder(job, deps, feature, { input, on }).catch(refused)
    const told = await job.step('code.diff', async () => {
      const [before, after] = [new Map<string, string>(), new Map<string, string | null>()]
      for (const path of touched) {
        const text = await base.read(path)
        if (text !== null) before.set(path, text)
        after.set(path, await currentFiles(job, base, changes).read(path))
      }
      const filesChanged = touched.filter(path => (before.get(path) ?? null) !== after.get(path))
      await job.audit({
        action: 'feature.code',
        target: (filesChanged.length === 0 ? input.files : filesChanged).join(', '),
        outcome: success ? 'done' : 'failed',
      })
      return { filesChanged, diff: unifiedDiff(before, after) }
    })
    return { success, ...told, aiderOutput: output, errors, changes }
  }
}
