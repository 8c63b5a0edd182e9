import { replyProblem, type EditProblem, type FileDiff, type Hunk } from '../edit.ts'
import { withoutMention } from './mention.ts'
import type { Workspace } from './workspace.ts'

/** The file that a diff means, or why there is none; `isNew`: the diff may be of a new file. */
type DiffTarget = { path: string } | { problem: EditProblem; isNew: boolean }

/** The text of hunks, as the reply spells them. */
export const textOf = (hunks: readonly Hunk[]): string => hunks.map(({ text }) => text).join('\n')

/** All spellings of the names of a diff: as they are, without `a/` or `b/` of one side only, without `@`. */
function spellingsOf({ oldPath, newPath, stripped }: FileDiff): string[] {
  const names = [oldPath, newPath].filter(name => name !== null)
  // A name with its prefix may be a folder of the project: a/x.py beside b/x.py.
  const bare = stripped ? [] : names.filter(name => /^[ab]\/./.test(name)).map(name => name.slice(2))
  const given = [...names, ...bare]
  return [...given, ...given.map(withoutMention).filter(name => name !== null)]
}

/** Whether hunks add lines and show none of the file. */
const onlyAdds = (hunks: readonly Hunk[]): boolean =>
  hunks.length > 0 &&
  hunks.every(
    ({ lines }) =>
      lines.some(({ kind }) => kind === '+') && lines.every(({ kind, raw }) => kind === '+' || raw.trim() === ''),
  )

/** Finds the file that the names of a diff mean: one that has such a name first, then one that is like it. */
export function findDiffTarget(diff: FileDiff, workspace: Workspace): DiffTarget {
  const spellings = spellingsOf(diff)
  for (const exact of [true, false]) {
    for (const name of spellings) {
      const found = workspace.targets.find(name)
      if ('path' in found && (!exact || found.path === name)) return { path: found.path }
    }
  }
  const candidates = new Set(
    spellings.flatMap(spelled => {
      const found = workspace.targets.find(spelled)
      return 'candidates' in found ? found.candidates : []
    }),
  )
  const name = diff.newPath ?? diff.oldPath ?? ''
  const hint = candidates.size > 0 ? `Did you mean ${[...candidates].join(', ')}?` : 'A new file needs "--- /dev/null".'
  const detail = workspace.wasDeleted(name) ? `${name} was deleted before.` : `There is no file ${name}. ${hint}`
  return {
    problem: replyProblem('no_such_file', detail, { path: name, text: textOf(diff.hunks) }),
    isNew: diff.kind === 'change' && onlyAdds(diff.hunks) && candidates.size === 0,
  }
}
