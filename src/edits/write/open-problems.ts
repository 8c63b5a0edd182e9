import { lowerBaseName } from '../../core/path-names.ts'
import type { AppliedEdit, EditProblem } from '../edit.ts'

/**
 * The problems that are still open after a turn in which the model was asked to repeat the rejected edits: those of
 * this turn, and the earlier ones of a file beyond the number of its edits now. A problem that names no file is settled
 * by any edit. Files are compared by base name, as problems name them as the reply spells them.
 *
 * @param before - Problems of the turns before.
 */
export function openProblems(
  before: readonly EditProblem[],
  { applied, rejected }: { applied: readonly AppliedEdit[]; rejected: readonly EditProblem[] },
): EditProblem[] {
  const tries = new Map<string, number>()
  for (const { path } of [...applied, ...rejected]) {
    if (path === null) continue
    const name = lowerBaseName(path)
    tries.set(name, (tries.get(name) ?? 0) + 1)
  }
  const left = before.filter(({ path }) => {
    if (path === null) return applied.length + rejected.length === 0
    const name = lowerBaseName(path)
    const remaining = tries.get(name) ?? 0
    tries.set(name, remaining - 1)
    return remaining <= 0
  })
  return [...left, ...rejected]
}
