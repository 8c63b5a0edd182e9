import type { Test } from 'tap'
import { applyEdits } from '../../src/edits/apply/apply-edits.ts'
import { readReply } from '../../src/edits/read/read-reply.ts'

/** The mark of a fence. */
export const F = '```'

/** A file that the replies edit, src/app.py. */
export const APP =
  'import os\n\n\ndef load(path):\n    return open(path).read()\n\n\ndef save(path, text):\n' +
  '    with open(path, "w") as f:\n        f.write(text)\n'

/** The same after HUNK. */
export const SAVED = APP.replace('"w"', '"a"')

/** A change of that file. */
export const HUNK =
  '@@ -8,3 +8,3 @@\n def save(path, text):\n-    with open(path, "w") as f:\n' +
  '+    with open(path, "a") as f:\n         f.write(text)\n'

/** The names in the header of its diff. */
export const NAMES = '--- a/src/app.py\n+++ b/src/app.py\n'

/** A text in a fence. */
export const fenced = (body: string, info = 'diff'): string =>
  `${F}${info}\n${body}${body.endsWith('\n') ? '' : '\n'}${F}\n`

/** What src/app.py is afterwards; null when it is gone. */
export const app = (after: string | null): Record<string, string | null> => ({ 'src/app.py': after })

/** A file that holds this text. */
export const of = (text: string, path = 'f.txt'): Record<string, string> => ({ [path]: text })

/** Hunks of one file as a diff in a fence. */
export const diffOf = (hunks: string, path = 'f.txt'): string => fenced(`--- a/${path}\n+++ b/${path}\n${hunks}`)

/** What is wrong with a reply, the reply, files afterwards or the reasons of refusal, and the files before. */
type ReplyCase = [
  name: string,
  reply: string,
  outcome: Record<string, string | null> | string[],
  before?: Record<string, string>,
]

/** Applies each reply to its files, which are src/app.py where none are given, and compares what comes out. */
export function checkReplies(t: Test, cases: readonly ReplyCase[]): void {
  for (const [name, reply, outcome, before = { 'src/app.py': APP }] of cases) {
    const { changed, deleted, rejected } = applyEdits(new Map(Object.entries(before)), readReply(reply))
    const reasons = rejected.map(({ reason, detail }) => `${reason}: ${detail}`).join('\n')
    if (Array.isArray(outcome)) {
      t.same(
        rejected.map(({ reason }) => reason),
        outcome,
        `${name}: ${reasons}`,
      )
    } else {
      t.same(
        { changed: Object.fromEntries([...changed, ...deleted.map(path => [path, null])]), reasons },
        { changed: outcome, reasons: '' },
        name,
      )
    }
  }
}
