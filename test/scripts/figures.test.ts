import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { parseSource, readCheckout, type Source } from '../../scripts/figures/checkout.ts'
import { undocumentedExports } from '../../scripts/figures/documentation.ts'
import { formatSources } from '../../scripts/figures/format.ts'
import { hopsByRoute } from '../../scripts/figures/hops.ts'
import { measureHouse, measureLines } from '../../scripts/figures/measure.ts'
import { importCycles, importGraph } from '../../scripts/figures/modules.ts'
import { movesBetween } from '../../scripts/figures/moves.ts'
import { measureSyntax } from '../../scripts/figures/syntax.ts'
import { checkOut } from '../../scripts/figures/worktree.ts'

const ROOT = join(import.meta.dirname, '../..')

const sourcesOf = (files: Record<string, string>): Source[] =>
  Object.entries(files).map(([path, text]) => parseSource(path, text))
const syntaxOf = (text: string) => measureSyntax(parseSource('src/a.ts', text))

test('branches are counted as the lint rule counts them, for each function by itself', async t => {
  const text = `
    function outer(a, { b = 1 } = {}) {
      if (a && b) return a?.c
      for (const d of a) try { d() } catch { a ??= d }
      const inner = () => a ? b : a
      switch (a) { case 1: case 2: break; default: }
    }`
  const branches = syntaxOf(text).functions.map(one => one.branches)
  t.same(branches, [2, 11])
})

test('tokens of a function count those of the functions in it, comments none', async t => {
  t.same(
    syntaxOf('const f = (a) => { /* a comment */ return () => a }').functions.map(({ tokens }) => tokens),
    [4, 11],
  )
})

test('a ternary in a branch of another one is nested, one in its condition is not', async t => {
  t.equal(syntaxOf('x = a ? b : c ? d : e').nestedTernaries, 1)
  t.equal(syntaxOf('x = a ? (b ? c : d) : e ? f : g').nestedTernaries, 2)
  t.equal(syntaxOf('x = (a ? b : c) ? d : f(e ? g : h)').nestedTernaries, 0)
})

test('lines of code are neither blank nor comments alone', async t => {
  t.equal(syntaxOf('// a\n\n/** b */\nconst c = `d\n\ne` // f\n').codeLines, 3)
})

test('files that reach each other by imports are one group, types included', async t => {
  const graph = importGraph(
    sourcesOf({
      'src/a.ts': "import type { B } from './b/b.ts'\nimport { x } from 'package'",
      'src/b/b.ts': "import { c } from './c.ts'\nimport { d } from '../d.ts'",
      'src/b/c.ts': "export { a } from '../a.ts'",
      'src/d.ts': "const e = await import('./e.ts')",
      'src/e.ts': "import { e } from './e.ts'",
    }),
  )
  t.same(graph.get('src/d.ts'), ['src/e.ts'])
  t.same(importCycles(graph), [['src/a.ts', 'src/b/b.ts', 'src/b/c.ts']])
})

test('exported names need a doc comment of their own', async t => {
  const text = `
    /** Said. */
    export const a = 1, b = 2
    // no doc comment
    export function c() {}
    export type D = 1
    export default e
    export { f } from './f.ts'
    function g() {}`
  t.same(undocumentedExports(parseSource('src/a.ts', text)), ['c', 'D'])
})

test('hops are counted where a chain is that of the checkout: each file connected with one before', async t => {
  const graph = new Map([
    ['src/routes/a.ts', ['src/services.ts']],
    ['src/services.ts', ['src/x/work.ts', 'src/x/helper.ts']],
    ['src/x/work.ts', []],
    ['src/x/helper.ts', []],
    ['src/x/stray.ts', []],
  ])
  const hops = (...names: string[]) => hopsByRoute(graph, [{ route: '/a', files: names }]).get('/a')
  t.equal(hops('routes/a.ts', 'services.ts', 'helper.ts', 'work.ts'), 3)
  t.equal(hops('routes/a.ts', 'services.ts', 'stray.ts'), null, 'not connected')
  t.equal(hops('routes/a.ts', 'gone.ts'), null, 'not there')
})

test('the table counts files, folders, long lines and same-named tests', async t => {
  const sources = sourcesOf({
    'src/a.ts': 'export const a = 1\n',
    'src/x/b.ts': `// ${'long '.repeat(30)}\nexport const b = 1\n`,
    'src/x/types.ts': 'export type C = 1\n',
    'src/x/y/d.ts': 'export const d = () => 1\n',
    'test/x/b.test.ts': `// ${'long '.repeat(30)}\n`,
  })
  const markdown = [{ path: 'README.md', text: `${'long '.repeat(30)}\nshort` }]
  t.match(Object.fromEntries(measureHouse({ folder: '', sources, markdown })), {
    'files directly in src/': 1,
    'files in src/, all': 4,
    'rooms (folders directly in src/)': 1,
    'files per folder, most': 2,
    'lines over 120 columns: src': 1,
    'lines over 120 columns: test, bench, scripts': 1,
    'lines over 120 columns: Markdown': 1,
    'same-named tests': '33 %',
  })
  t.same(Object.fromEntries(measureLines(sources)), {
    'lines of code: src, all': 4,
    'lines of code: test, bench, scripts': 0,
    'lines of code: files directly in src/': 1,
    'lines of code: src/x': 3,
  })
  const moved = measureLines(sources, path => path.replace('src/x/b', 'src/z/b'))
  t.equal(moved.get('lines of code: src/z'), 1, 'a file counts where it is said to stand')
})

test('lines of code are compared as the formatter sets them', async t => {
  const [formatted] = await formatSources(sourcesOf({ 'src/a.ts': 'export function a (b: 1)\n{ return b; }' }))
  t.equal(formatted?.text, 'export function a(b: 1) {\n  return b\n}\n')
})

test('a file that was moved twice is known by its first place', async t => {
  const folder = t.testdir({ older: { 'a.ts': 'const text = "a file"\n'.repeat(9) } })
  const older = join(folder, 'older')
  const newer = join(folder, 'newer')
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd, encoding: 'utf8' })
  git(older, 'init', '-q')
  git(older, 'add', '.')
  git(older, 'commit', '-qm', 'first')
  git(older, 'clone', '-q', '.', newer)
  for (const [from = '', to = ''] of [
    ['a.ts', 'b.ts'],
    ['b.ts', 'c.ts'],
  ]) {
    git(newer, 'mv', from, to)
    git(newer, 'commit', '-qm', to)
  }
  t.same([...movesBetween(older, newer)], [['a.ts', 'c.ts']])
})

test('this checkout has a figure for everything, the hops of its routes included', async t => {
  const figures = measureHouse(readCheckout(ROOT))
  for (const [name, value] of figures) t.not(value, null, name)
})

test('a commit is checked out beside the repository until it is disposed of', async t => {
  const folder = t.testdir({ 'a.ts': 'old' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: folder, encoding: 'utf8' })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  git('rm', '-q', 'a.ts')
  git('commit', '-qm', 'second')
  const worktree = checkOut(folder, 'HEAD~1')
  t.equal(readFileSync(join(worktree.folder, 'a.ts'), 'utf8'), 'old')
  worktree[Symbol.dispose]()
  t.notOk(existsSync(worktree.folder))
  t.notOk(existsSync(join(folder, '.git/worktrees')), 'git has forgotten it')
  t.throws(() => checkOut(folder, 'none'), { message: /none/ })
})
