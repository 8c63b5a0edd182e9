import { NOT_COMMITTED } from '../../core/uncommitted.ts'
import { historyOf, type CloneState, type CloneUser } from '../clone/clone-state.ts'

/**
 * Whether the history of this commit is there: several projects may use one clone, so the one that holds the commit
 * counts.
 */
export function hasHistory(state: CloneState, commit: string): boolean {
  const isOf = (user: CloneUser): boolean => user.commit === commit || user.uncommitted?.commit === commit
  return historyOf(state) === 'full' || state.users.some(user => isOf(user) && user.history === 'full')
}

/** A commit of ours is nobody's: what it holds is not committed. */
export function asUncommitted<Change extends { commit: string }>(
  change: Change,
  commit: string,
  { users }: CloneState,
): Change {
  const isOurs = change.commit === commit && users.some(({ uncommitted }) => uncommitted?.commit === commit)
  return isOurs ? { ...change, commit: NOT_COMMITTED } : change
}
