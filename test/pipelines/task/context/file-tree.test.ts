import fc from 'fast-check'
import { test } from 'tap'
import { fileTree } from '../../../../src/pipelines/task/context/file-tree.ts'
import { runs } from '../../../helpers/property-runs.ts'

const countTokens = (text: string): number => Math.ceil(text.length / 4)
const tree = (paths: readonly string[], options: Partial<Parameters<typeof fileTree>[1]> = {}): string =>
  fileTree([...paths].sort(), { countTokens, maxTokens: 5_000, ...options })

test('folders come first, then files, each below its folder', t => {
  t.equal(
    tree(['b.ts', 'src/a/x.ts', 'src/c.ts', 'a b/ü.ts', 'src/a/y.ts']),
    ['a b/', '  ü.ts', 'src/', '  a/', '    x.ts', '    y.ts', '  c.ts', 'b.ts'].join('\n'),
  )
  t.equal(tree([]), '')
  t.end()
})

test('six levels deep; what is deeper is counted', t => {
  t.equal(
    tree(['1/2/3/4/5/six.ts', '1/2/3/4/5/6/seven.ts', '1/2/3/4/5/6/7/eight.ts']),
    ['1/', '  2/', '    3/', '      4/', '        5/', '          6/ (files: 2)', '          six.ts'].join('\n'),
  )
  t.end()
})

test('of many entries those near the root are listed, and each folder has its share', t => {
  const many = Array.from({ length: 2_000 }, (_, at) => `src/f${String(at).padStart(4, '0')}.ts`)
  const few = ['lib/a.ts', 'lib/b.ts', 'main.ts', 'tests/cart/deep.ts']
  const lines = tree([...many, ...few], { maxTokens: 1e9 }).split('\n')
  const wanted = ['lib/', '  a.ts', '  b.ts', 'main.ts', 'tests/', '  cart/', '    deep.ts']
  for (const name of wanted) t.ok(lines.includes(name), name)
  const notes = lines.filter(line => line.includes('…') || line.includes('(files:'))
  t.ok(lines.length - notes.length <= 500, `${lines.length}`)
  t.ok(lines.length >= 490)
  t.match(notes.join('\n'), /not listed: 15\d\d/)
  t.end()
})

test('every tree keeps to its budget, and its counts are right', t => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd', 'long name', 'ü'), { minLength: 1, maxLength: 9 })
    .map(names => `${names.join('/')}.ts`)
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 300 }),
      fc.integer({ min: 20, max: 3_000 }),
      fc.integer({ min: 1, max: 40 }),
      (paths, maxTokens, maxEntries) => {
        const text = tree(paths, { maxTokens, maxEntries })
        if (countTokens(text) > maxTokens) throw new Error('more than the budget')
        const lines = text === '' ? [] : text.split('\n')
        const isFile = (line: string): boolean => line.endsWith('.ts')
        const hidden = lines.reduce((sum, line) => sum + Number(/(?:\(files|listed): (\d+)/.exec(line)?.[1] ?? 0), 0)
        if (lines.filter(isFile).length + hidden !== paths.length) throw new Error(`counts are wrong:\n${text}`)
        if (lines.filter(line => !line.includes('…')).length > maxEntries) throw new Error('too many entries')
      },
    ),
    { numRuns: runs(500) },
  )
  t.end()
})
