import { readFileSync } from 'node:fs'
import type { ChangedFile, FailingPlace } from '../../src/guards/guard.ts'

/** A small change, and the kinds of guards that have to be found in it. */
interface GuardCase {
  name: string
  file: ChangedFile
  failing: FailingPlace | null
  kinds: string[]
}

function caseOf(block: string): GuardCase {
  const [head = '', ...rows] = block.replace(/\n$/, '').split('\n')
  const [name = '', path = '', kinds = '-', error = ''] = head.split(' | ').map(part => part.trim())
  const before: string[] = []
  const after: string[] = []
  let line = 0
  for (const row of rows) {
    const [mark, text] = [row.charAt(0), row.slice(1)]
    const isNew = mark === '+'
    if (!isNew) before.push(text)
    if (mark !== '-' && mark !== '~') after.push(text)
    if (mark === '!' || mark === '~') line = before.length
  }
  const file = { path, before: `${before.join('\n')}\n`, after: `${after.join('\n')}\n` }
  return {
    name,
    file,
    failing: line === 0 ? null : { path, line, error },
    kinds: kinds === '-' ? [] : kinds.split(','),
  }
}

/**
 * The cases of a file: `=== name | path | kinds or - | error`, then the whole change as a diff without headers. `!` is
 * a line of both texts at which the trace points, `~` one that goes.
 */
export function guardCases(name: string): GuardCase[] {
  const text = readFileSync(new URL(`../fixtures/guards/${name}.txt`, import.meta.url), 'utf8')
  return text.split(/^=== /m).slice(1).map(caseOf)
}
