import { lowerBaseName } from '../../core/path-names.ts'
import type { AppliedEdit } from '../apply/apply-edits.ts'
import type { EditProblem } from '../edit.ts'

/** Problems name a file as the reply spells it, applied edits as it is called. */

/**
 * What is still to be asked for after a turn that was asked to repeat the edits with problems: what failed now, and of
 * the earlier problems of a file as many as the turn has no edit for. A problem that names no file is settled by any
 * edit.
 *
 * @param before - Problems of the turns before.
 */
export function openProblems(
  before: readonly EditProblem[],
  { applied, rejected }: { applied: readonly AppliedEdit[]; rejected: readonly EditProblem[] },
): EditProblem[] {
  const tried = new Map<string, number>()
  for (const { path } of [...applied, ...rejected]) {
    if (path !== null) tried.set(lowerBaseName(path), (tried.get(lowerBaseName(path)) ?? 0) + 1)
  }
  const left = before.filter(({ path }) => {
    if (path === null) return applied.length + rejected.length === 0
    const tries = tried.get(lowerBaseName(path)) ?? 0
    tried.set(lowerBaseName(path), tries - 1)
    return tries <= 0
  })
  return [...left, ...rejected]
}
