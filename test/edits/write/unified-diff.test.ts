import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test, type Test } from 'tap'
import { unifiedDiff } from '../../../src/edits/write/unified-diff.ts'
import { runs } from '../../helpers/property-runs.ts'

/** What `git apply` makes of a file with the diff to another text; null when it refuses. */
function applied(t: Test, before: string, after: string): { diff: string; text: string | null } {
  const dir = t.testdir({ 'f.txt': before })
  const diff = unifiedDiff(new Map([['f.txt', before]]), new Map([['f.txt', after]]))
  const { status } = spawnSync('git', ['apply', '-'], {
    cwd: dir,
    input: diff,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: join(dir, '..') },
  })
  return { diff, text: status === 0 ? readFileSync(join(dir, 'f.txt'), 'utf8') : null }
}

const numbered = (count: number, word = 'line'): string[] => Array.from({ length: count }, (_, i) => `${word} ${i}\n`)

test('git apply takes the diff of any two texts', async t => {
  const line = fc.constantFrom(
    'a',
    'b',
    'c',
    '',
    '-x',
    '+y',
    '@@ -1 +1 @@',
    '\uFEFFq',
    '\\ No newline at end of file',
    'r\r',
  )
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, isEnded]) => lines.map((own, i) => (isEnded || i < lines.length - 1 ? `${own}\n` : own)).join(''))
  for (const [before, after] of fc.sample(fc.tuple(text, text), { numRuns: runs(40), seed: 7 })) {
    if (before === after) continue
    t.equal(applied(t, before, after).text, after, JSON.stringify([before, after]))
  }
})

test(
  'two texts that have little in common are replaced from the first change to the last, which git apply ' + 'takes',
  async t => {
    const old = numbered(6000)
    const fresh = numbered(6000, 'new')
    const cases: Array<[name: string, before: string[], after: string[], hunk: RegExp]> = [
      ['all of it', old, fresh, /^@@ -1,6000 \+1,6000 @@$/m],
      ['the middle', old, [...old.slice(0, 100), ...fresh, ...old.slice(-50)], /^@@ -98,5856 \+98,6006 @@$/m],
      [
        'the middle, with nothing in its place',
        old,
        [...old.slice(0, 100), ...old.slice(-50)],
        /^@@ -98,5856 \+98,6 @@$/m,
      ],
      ['all but the first line', old, [...old.slice(0, 1), ...fresh], /^@@ -1,6000 \+1,6001 @@$/m],
      ['into nothing', old, [], /^@@ -1,6000 \+0,0 @@$/m],
      ['out of nothing', [], fresh, /^@@ -0,0 \+1,6000 @@$/m],
      ['the end, with its newline', old, [...old.slice(0, 100), ...fresh, 'end'], /^\\ No newline at end of file$/m],
      ['lines that are there, in another order', old, [...old].reverse(), /^@@ -1,6000 \+1,6000 @@$/m],
    ]
    for (const [name, before, after, hunk] of cases) {
      const { diff, text } = applied(t, before.join(''), after.join(''))
      t.match(diff, hunk, name)
      t.equal(diff.match(/^@@/gm)?.length, 1, name)
      t.ok(text === after.join(''), `${name}: the other text comes out`)
    }
  },
)

test('a few changes in a long text are hunks of their own', async t => {
  const before = numbered(20_000)
  const after = before.map((line, i) => (i % 100 === 0 ? `${line.trimEnd()} seen\n` : line))
  const { diff, text } = applied(t, before.join(''), after.join(''))
  t.equal(diff.match(/^@@/gm)?.length, 200)
  t.ok(text === after.join(''))
})
