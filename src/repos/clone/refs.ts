import { FaultlineError } from '../../core/errors.ts'

const MAX_REF_CHARS = 255

/** Whether a string is a full commit id. */
export const isCommitId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/** Whether a string can be the beginning of a commit id, long enough not to match by accident. */
export const isShortCommitId = (text: string): boolean => /^[0-9a-f]{4,39}$/.test(text)

/**
 * Whether a name follows the rules of `git check-ref-format --allow-onelevel` and has no leading `-`, which a command
 * line would read as an option.
 */
export function isRefName(name: string): boolean {
  if (name === '' || name === '@' || name.length > MAX_REF_CHARS || name.startsWith('-') || !name.isWellFormed()) {
    return false
  }
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\.$/.test(name)) return false
  return name.split('/').every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

/**
 * Checks a branch, tag or commit that a client named, before anything runs.
 *
 * @returns The name; a commit id in lower case.
 * @throws {FaultlineError} BAD_REF.
 */
export function checkRef(kind: 'branch' | 'ref', name: string): string {
  if (!isRefName(name) || name.startsWith('refs/')) {
    const shown = JSON.stringify(name.toWellFormed().slice(0, 100))
    throw new FaultlineError(
      'BAD_REF',
      `The ${kind} ${shown} is not a name that git allows.`,
      kind === 'branch'
        ? 'Give the branch as "git branch -r" prints it, without "origin/".'
        : 'Give a commit id, a tag or a branch.',
    )
  }
  return kind === 'ref' && /^[0-9A-Fa-f]{4,40}$/.test(name) && isCommitId(name.toLowerCase())
    ? name.toLowerCase()
    : name
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/**
 * The names nearest to a wanted one by edit distance, best first. Compares only the first 2,000, so that the cost stays
 * bounded.
 */
export function nearNames(wanted: string, names: readonly string[], limit = 10): string[] {
  const target = wanted.toLowerCase().slice(0, 100)
  return names
    .filter(isRefName)
    .slice(0, 2_000)
    .map(name => ({ name, distance: editDistance(target, name.toLowerCase().slice(0, 100)) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name)
}
