import type { HealAnswer } from '../../contract/generation-results.ts'

/** Whether a job made, changed or deleted any file. */
export const hasChanges = ({ files, deleted }: Pick<HealAnswer, 'files' | 'deleted'>): boolean =>
  files.length + deleted.length > 0
