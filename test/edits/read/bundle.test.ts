import { test } from 'tap'
import { bundledFiles } from '../../../src/edits/read/bundle.ts'

function paths(lines: string[], path: string | null = null): unknown {
  const files = bundledFiles(lines, 'python', path === null ? null : { path, named: 'line' })
  return files === null ? null : files.map(({ name, from, to }) => [name.path, from, to])
}

test('several files of a block stand below their names', async t => {
  t.same(paths(['=== a.py ===', 'x', '', '=== b.py ===', 'y']), [
    ['a.py', 1, 2],
    ['b.py', 4, 5],
  ])
  t.same(paths(['# a.py', 'x', '', '# b.py', 'y']), [
    ['a.py', 0, 2],
    ['b.py', 3, 5],
  ])
  t.same(paths(['=== a.py ===', 'x']), [['a.py', 1, 2]])
})

test('one file, and one that shows such lines, is no bundle', async t => {
  t.equal(paths(['# a.py', 'x']), null)
  t.equal(paths(['x', '# a.py', '', '# b.py']), null)
  t.equal(paths(['# a.py', 'x', '', '# a.py', 'y']), null)
  t.equal(paths(['=== a.py ===', 'x'], 'a.py'), null)
  t.equal(paths(['# a.py', 'x', '', '# b.py', 'y'], 'c.py'), null)
  t.equal(paths([]), null)
})
