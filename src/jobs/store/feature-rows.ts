import type { FeatureBranch, FeatureBranchFields } from '../../core/feature.ts'
import type { Row } from './rows.ts'

/** The columns of `features` that make a `FeatureBranch`. */
export const FEATURE_COLUMNS =
  'job_id, project_name, repository, branch, base_branch, base_commit, commit_id, is_pushed, pushed_commit, ' +
  'request_number, state'

/** The column of each field that changes. */
export const CHANGING_OF_FEATURES: Readonly<Record<keyof FeatureBranchFields, string>> = {
  commit: 'commit_id',
  isPushed: 'is_pushed',
  pushedCommit: 'pushed_commit',
  requestNumber: 'request_number',
  state: 'state',
}

/** The branch that a row holds. */
export const toBranch = (row: Row): FeatureBranch => ({
  jobId: String(row.job_id),
  projectName: String(row.project_name),
  repository: String(row.repository),
  branch: String(row.branch),
  baseBranch: String(row.base_branch),
  baseCommit: row.base_commit as string | null,
  commit: row.commit_id as string | null,
  isPushed: row.is_pushed === 1 || row.is_pushed === true,
  pushedCommit: row.pushed_commit as string | null,
  requestNumber: row.request_number as number | null,
  state: row.state as FeatureBranch['state'],
})
