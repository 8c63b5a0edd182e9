import type { FeatureCheck } from '../../../contract/feature.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Changes } from '../../steps/base/base-files.ts'
import type { CommittedFiles } from '../../steps/base/committed-files.ts'
import type { ProjectBase } from '../../steps/base/project-base.ts'
import { createTaskChecks, type Baseline, type CheckedChange, type TaskChecksDeps } from '../../task/checks.ts'
import { keptOutput } from '../../task/checks-words.ts'

/** What checking a feature needs. */
export type SystemCheckDeps = TaskChecksDeps

/** What is checked, in the seed's words. */
export interface SystemCheckInput {
  checks: Array<'typecheck' | 'lint' | 'test'>
}

/** What came of it. */
export interface SystemCheckOutput {
  /** Whether nothing failed that did not fail without the feature. */
  allPassed: boolean
  results: FeatureCheck[]
  /** What the coder is told; null where all passed. */
  error: string | null
  /** What the failing checks printed, by which the failure is known again. */
  failures: string
}

/** Checks the files of a feature. */
export type SystemCheck = (input: SystemCheckInput, changes: Changes) => Promise<SystemCheckOutput>

type CheckRun = CheckedChange['tests']['checks'][number]

function asResult(run: CheckRun, { printed }: CheckedChange): FeatureCheck {
  const { name, status, command, exitCode, reason } = run
  if (status === 'skipped') return { check: name, passed: null, command, exitCode, output: reason ?? '' }
  const output = keptOutput(printed[name] ?? null)
  const before = `It failed without the feature, too. ${reason ?? ''}\n${output}`
  return {
    check: name,
    passed: status === 'passed',
    command,
    exitCode,
    output: status === 'failed_before' ? before : output,
  }
}

/**
 * Makes the skill `system_check`: type checker, linter and tests of the project over a feature, each compared with its
 * run without the feature. Each run is a step.
 */
export function createSystemCheck(
  job: JobContext,
  deps: SystemCheckDeps,
  { base, at }: { base: CommittedFiles; at: ProjectBase['at'] },
): SystemCheck {
  const baselines = new Map<string, Baseline>()
  return async ({ checks: names }, changes) => {
    const checks = createTaskChecks(job, deps, { base, at, names })
    const key = names.join()
    const baseline = baselines.get(key) ?? (await checks.baseline())
    baselines.set(key, baseline)
    const checked = await checks.after(changes, baseline)
    const results = checked.tests.checks.map(run => asResult(run, checked))
    await job.step('check.audit', () => {
      const outcome = checked.rejection === null ? 'done' : 'failed'
      return job.audit({ action: 'feature.check', target: names.join(', '), outcome })
    })
    return {
      allPassed: checked.rejection === null,
      results,
      error: checked.rejection,
      failures: checked.failures,
    }
  }
}
