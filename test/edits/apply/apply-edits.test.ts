import fc from 'fast-check'
import { test } from 'tap'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { NO_RULES } from '../../../src/edits/parts/read-part.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { asFarAsTold, wrapped, wrappedCase, type WrapName } from '../../helpers/diff-wraps.ts'
import { gitDiffs } from '../../helpers/git-diffs.ts'
import { runs } from '../../helpers/property-runs.ts'
import { fenced } from '../../helpers/reply-cases.ts'

const ROUNDS = runs(2000)
/** What takes nothing away that says which file is meant, or where. */
const HARMLESS: ReadonlySet<WrapName> = new Set<WrapName>([
  'no git headers',
  'in a fence',
  'indented whole',
  'no newline at the very end',
  'other newline markers',
])

test(
  'a diff of git gives the second version of each file or an error, however it is wrapped, and never a ' + 'third',
  async t => {
    const cases = fc.sample(wrappedCase, { numRuns: ROUNDS, seed: 5 })
    const diffs = gitDiffs(
      t.testdir({}),
      cases.map(({ before, after }) => [before, after] as const),
    )
    const wrong: unknown[] = []
    const refused: unknown[] = []
    let accepted = 0
    for (const [i, { before, after, wraps, seed }] of cases.entries()) {
      const diff = diffs[i] ?? ''
      if (diff === '') continue
      const reply = wrapped(diff, { wraps, seed })
      const { changed, deleted, rejected } = applyEdits(before, readReply(reply))
      const result = new Map([...before, ...changed])
      for (const path of deleted) result.delete(path)
      const told = (text: string | undefined): string | undefined =>
        text === undefined ? undefined : asFarAsTold(text, wraps)
      const third = [...new Set([...result.keys(), ...after.keys()])].filter(
        path => told(result.get(path)) !== told(after.get(path)),
      )
      if (rejected.length === 0 && third.length > 0) wrong.push({ wraps, reply, before: [...before], paths: third })
      // Code that is left out is refused whoever writes it.
      if (wraps.every(name => HARMLESS.has(name)) && rejected.some(({ detail }) => !detail.includes('left out'))) {
        refused.push({ wraps, reply, before: [...before], rejected })
      }
      if (rejected.length === 0) accepted++
    }
    t.same(wrong, [])
    t.same(refused, [])
    t.ok(accepted > ROUNDS / 2, `${accepted} were accepted`)
  },
)

test('a deletion of any turn before is no problem when it comes again, also with other turns between', async t => {
  const files = new Map([
    ['a.py', 'x\n'],
    ['b.py', 'y\n'],
  ])
  const deletion = readReply(fenced('--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n'))
  const first = applyEdits(files, deletion)
  t.same([first.deleted, first.memory.deleted], [['a.py'], ['a.py']])

  const left = new Map([['b.py', 'y\n']])
  const second = applyEdits(left, readReply(fenced('--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-y\n+z\n')), first)
  t.same(second.memory.deleted, ['a.py'], 'a turn that deletes nothing keeps it')
  const third = applyEdits(left, deletion, second)
  t.same([third.rejected, third.deleted], [[], []])
  t.match(applyEdits(left, deletion).rejected, [{ path: 'a.py' }], 'without the turns before it is a problem')
})

test('of a file that is to be written anew nothing has to stay, but code that is left out is refused', t => {
  const before = "import { db } from './db.js'\n\nexport function load() {\n  throw new Error('open')\n}\n"
  const files = new Map([
    ['a.js', before],
    ['b.js', before],
  ])
  const rules = { ...NO_RULES, anew: new Set(['a.js']) }
  const written = (path: string, text: string) =>
    applyEdits(files, readReply(`${path}\n${fenced(text, 'js')}`), { rules })
  const whole = "import { db } from './db.js'\n\nexport const names = ['a', 'b']\n\nexport const rows = db.all(names)\n"
  t.equal(written('a.js', whole).changed.get('a.js'), whole)
  t.match(written('b.js', whole).rejected, [{ path: 'b.js', detail: /lacks load/ }])
  const elided = "import { db } from './db.js'\n\n// ... rest of the file unchanged ...\n\nexport const rows = []\n"
  t.match(written('a.js', elided).rejected, [{ path: 'a.js', detail: /leaves out code/ }])
  t.end()
})
