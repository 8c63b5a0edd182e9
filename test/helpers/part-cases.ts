import type { Test } from 'tap'
import { applyEdits } from '../../src/edits/apply/apply-edits.ts'
import { readAsked } from '../../src/edits/parts/asked.ts'
import type { OutlineFile } from '../../src/edits/parts/units/units-of.ts'
import { readReply } from '../../src/edits/read/read-reply.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import { outlineOf } from '../../src/outline/outline.ts'

/** What a file defines, as pipelines know it. */
const outline: OutlineFile = (path, text) => {
  const language = languageOf(path)
  return language === null ? null : outlineOf(text, language)
}

/** A block under the name of a file. */
export const block = (path: string, body: string): string =>
  `${path}\n\`\`\`\`\n${body}${body.endsWith('\n') || body === '' ? '' : '\n'}\`\`\`\`\n`

/** Applies a reply to files; what a request asks to remove may go. */
export function applyPart(
  files: Record<string, string>,
  reply: string,
  request = '',
): { files: Record<string, string>; rejected: string[] } {
  const rules = { outline, asked: readAsked(request) }
  const { changed, deleted, rejected } = applyEdits(new Map(Object.entries(files)), readReply(reply), { rules })
  const after = new Map([...Object.entries(files), ...changed])
  for (const path of deleted) after.delete(path)
  return { files: Object.fromEntries(after), rejected: rejected.map(({ detail }) => detail) }
}

/**
 * What a reply is like, its block, and what becomes of the file: its text, all of the block (`WHOLE`), what it was
 * (`KEPT`), or the words with which the block is refused.
 */
type PartCase = [name: string, body: string, outcome: string | RegExp | typeof WHOLE | typeof KEPT, request?: string]

/** The block replaces the file. */
export const WHOLE = Symbol('whole')
/** What the block leaves out stays, and it brings nothing else. */
export const KEPT = Symbol('kept')

function textAfter(outcome: string | symbol, { body, before }: { body: string; before: string }): string {
  if (typeof outcome === 'string') return outcome
  return outcome === WHOLE ? body : before
}

/** Applies each block to the same file, and compares its bytes. */
export function checkParts(
  t: Test,
  { path, before }: { path: string; before: string },
  cases: readonly PartCase[],
): void {
  for (const [name, body, outcome, request] of cases) {
    const after = applyPart({ [path]: before }, block(path, body), request)
    const told = after.rejected.join('\n')
    if (outcome instanceof RegExp) {
      t.match(told, outcome, `${path}: ${name}`)
      t.equal(after.files[path], before, `${path}: ${name}: nothing changes`)
    } else {
      t.equal(told, '', `${path}: ${name}: ${told}`)
      t.equal(after.files[path], textAfter(outcome, { body, before }), `${path}: ${name}`)
    }
  }
}
