import type { FeatureInput, FeaturePlan, FeatureResult } from '../../contract/feature.ts'
import type { FEATURE_STATES } from '../../contract/feature-names.ts'
import type { FeatureBranchFields } from '../../core/feature.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'

type State = (typeof FEATURE_STATES)[number]

/** What a feature came to so far, which the job keeps however it ends. */
export interface FeatureReport {
  readonly result: FeatureResult
  /** Changes what is given, and has the job keep it. */
  tell(fields: Partial<FeatureResult>): Promise<void>
  /** Says where the feature stands. */
  enter(state: State, message: string): void
}

/** In the order of a feature without retries; both ends are one place. */
const ORDER: readonly State[] = ['planning', 'scaffolding', 'coding', 'verifying', 'delivering', 'awaiting_approval']

const NOTHING: FeatureResult = {
  outcome: null,
  plan: null,
  repository: null,
  branch: null,
  baseBranch: null,
  baseCommit: null,
  commit: null,
  diff: '',
  pushed: false,
  pullRequestUrl: null,
  compareUrl: null,
  scaffolded: [],
  migrations: [],
  attempts: [],
  conflicts: [],
  merged: false,
  mergeCommit: null,
  deployment: null,
  notes: [],
}

/** Begins the report of a job that is run, perhaps again: it is told anew as the job comes to it. */
export function createReport(job: Pick<JobContext, 'setResult' | 'progress'>): FeatureReport {
  let result = NOTHING
  return {
    get result() {
      return result
    },
    async tell(fields) {
      result = { ...result, ...fields }
      await job.setResult(result)
    },
    enter(state, message) {
      const place = ORDER.indexOf(state)
      job.progress({ step: state, done: place === -1 ? ORDER.length : place, total: ORDER.length, message })
    },
  }
}

/** A feature under way: what it is made of, and what its steps share. */
export interface Feature {
  input: FeatureInput
  at: ProjectBase['at']
  base: ProjectBase['base']
  baseBranch: string
  report: FeatureReport
}

/** A feature with a plan, on its branch. */
export interface PlannedFeature extends Feature {
  plan: FeaturePlan
}

/** How the row of its branch ends with the feature. */
export type FeatureEnd = Extract<NonNullable<FeatureBranchFields['state']>, 'delivered' | 'deployed' | 'aborted'>
