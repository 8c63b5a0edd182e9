import { unquoted } from '../../../core/git-names.ts'

/** A name of a diff's header: the path as it is spelled, or null for `/dev/null`. */
export type DiffName = string | null

/** Words that stand in place of a name. */
const NO_NAMES: ReadonlySet<string> = new Set([
  'a',
  'b',
  'old',
  'new',
  'original',
  'modified',
  'updated',
  'before',
  'after',
  'fixed',
  'current',
  'proposed',
  'changed',
  'old_file',
  'new_file',
  'original_file',
  'modified_file',
  'file',
  'path/to/file',
  '...',
])

/** The name, null for `/dev/null`, undefined for a word that names no file. */
function known(name: string): DiffName | undefined {
  if (/^(?:[ab]\/)?\/?dev\/null$/i.test(name) || name.toUpperCase() === 'NUL') return null
  return name === '' || NO_NAMES.has(name.toLowerCase()) ? undefined : name
}

/**
 * The name after `--- ` or `+++ `, without date, remark and quotes.
 *
 * @returns undefined when what stands there names no file (`--- original`).
 */
export function readDiffName(rest: string): DiffName | undefined {
  let name = (rest.split('\t')[0] ?? '').trim()
  if (name.startsWith('"') && name.lastIndexOf('"') > 0) return known(unquoted(name.slice(1, name.lastIndexOf('"'))))
  const date = / \d{4}-\d\d-\d\d(?: |$)/.exec(name)
  if (date !== null) name = name.slice(0, date.index)
  const remark = name.lastIndexOf(' (')
  if (remark > 0 && name.endsWith(')')) name = name.slice(0, remark)
  name = name.trim()
  for (const quote of ['`', "'", '**']) {
    if (name.length > 2 * quote.length && name.startsWith(quote) && name.endsWith(quote)) {
      name = name.slice(quote.length, -quote.length)
    }
  }
  return known(name)
}
