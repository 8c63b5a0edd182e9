import { test } from 'tap'
import { unifiedDiff } from '../../../src/edits/write/unified-diff.ts'
import { fitDiff } from '../../../src/pipelines/task/review-diff.ts'

const count = (text: string): number => text.length

test('a diff that fits comes back itself; of a larger one the files that fit, in order', t => {
  const files = new Map([
    ['a.txt', 'a\n'],
    ['with blank.txt', 'b\n'.repeat(100)],
    ['ünï.txt', 'c\n'],
  ])
  const diff = unifiedDiff(new Map(), files)
  t.same(fitDiff(diff, diff.length, count), { text: diff, leftOut: [] })
  const { text, leftOut } = fitDiff(diff, 300, count)
  t.same(leftOut, ['with blank.txt'])
  t.match(text, '+a\n')
  t.match(text, '+c\n')
  t.end()
})

test('a line of a file that looks like a header begins no file', t => {
  const before = new Map([['a.txt', 'x\n']])
  const diff = unifiedDiff(before, new Map([['a.txt', 'diff --git a/b.txt b/b.txt\n'.repeat(9)]]))
  t.same(fitDiff(diff, 10, count), { text: '', leftOut: ['a.txt'] })
  t.end()
})

test('only what begins a line for git begins a file', t => {
  const evil = 'diff --git a/good.ts b/good.ts\n+a\rdiff --git a/README.md b/README.md\n+b\u2028diff --git a/x b/x\n'
  const { text, leftOut } = fitDiff(`${evil}${'+c\n'.repeat(50)}`, 30, each => each.length)
  t.same({ text, leftOut }, { text: '', leftOut: ['good.ts'] })
  t.end()
})
