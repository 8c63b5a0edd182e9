import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import fc from 'fast-check'
import ts from 'typescript'
import { parseSource } from '../../scripts/figures/checkout.ts'
import { draw } from '../../scripts/mutate/draw.ts'
import { withoutEquivalents } from '../../scripts/mutate/equivalent.ts'
import { applyMutant, findMutants } from '../../scripts/mutate/mutants.ts'
import { nearTests } from '../../scripts/mutate/near-tests.ts'
import { runMutants, type MutantResult } from '../../scripts/mutate/run-mutants.ts'
import { TreeCopy } from '../../scripts/mutate/tree-copy.ts'

/** Kind and changed line of every mutant of a text. */
const changesOf = (text: string): string[] =>
  findMutants(parseSource('src/a.ts', text)).map(({ kind, after }) => `${kind}: ${after}`)

test('a comparison is flipped and its boundary moved', async t => {
  t.same(changesOf('f = a < b'), ['comparison: f = a >= b', 'boundary: f = a <= b'])
  t.same(changesOf('f = a >= b'), ['comparison: f = a < b', 'boundary: f = a > b'])
  t.same(changesOf('f = a === b'), ['comparison: f = a !== b'])
  t.same(changesOf('f = a !== b'), ['comparison: f = a === b'])
})

test('a guard is dropped, a condition negated, "and" becomes "or"', async t => {
  t.same(changesOf('if (done) return'), ['condition: if (!(done)) return', 'guard: {}'])
  t.same(changesOf('for (const x of y) if (x) {\n  z = x\n  continue\n}'), [
    'condition: for (const x of y) if (!(x)) {',
    'guard: for (const x of y) {}',
  ])
  t.same(changesOf('if (a) b = c\nelse throw d'), ['condition: if (!(a)) b = c'])
  t.same(changesOf('x = a && b ? c : d'), ['condition: x = !(a && b) ? c : d', 'logic: x = a || b ? c : d'])
})

test('a condition that is one comparison is changed by that alone', async t => {
  t.same(changesOf('if (a === b) c = d'), ['comparison: if (a !== b) c = d'])
})

test('numbers count on by one, one becomes none, and limits and times are multiplied', async t => {
  t.same(changesOf('a = 0'), ['number: a = 1'])
  t.same(changesOf('a = 1'), ['number: a = 0'])
  t.same(changesOf('a = 7'), ['number: a = 8'])
  t.same(changesOf('a = 0.25'), ['number: a = 0.5'])
  t.same(changesOf('const HOUR_MS = 60_000'), ['number: const HOUR_MS = 3600000'])
})

test('calls whose value nobody wants, filters and booleans are changed', async t => {
  t.same(changesOf('clear()\nawait stop(b)\nc = d()'), ['statement: {}', 'statement: {}'])
  t.same(changesOf('a = b.filter((c) => c.d).map(e)'), ['filter: a = b.map(e)'])
  t.same(changesOf('a = { b: true, c: false }'), [
    'boolean: a = { b: false, c: false }',
    'boolean: a = { b: true, c: true }',
  ])
})

test('what makes no difference is left alone: types, imports, tables, and what only the compiler needs', async t => {
  t.same(
    changesOf('type A = 1 | true\ninterface B { c: 2 }\nlet d: 3\nclass E extends F { constructor() { super() } }'),
    [],
  )
  t.same(changesOf('a = [1, 2, 3, 4, 5, 6, 7, 8, 9]'), [])
  t.same(changesOf('a = b[c] ?? 0'), [])
  t.same(changesOf('a = b.get(c) ?? 0'), ['number: a = b.get(c) ?? 1'])
})

test('every mutant of a real file differs from it and is still TypeScript', async t => {
  for (const file of [
    '../../scripts/mutate.ts',
    '../../scripts/figures/syntax.ts',
    '../../scripts/mutate/run-mutants.ts',
  ]) {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8')
    const mutants = findMutants(parseSource('a.ts', text))
    t.ok(mutants.length > 10, file)
    for (const mutant of mutants) {
      const changed = applyMutant(text, mutant)
      const { diagnostics } = ts.transpileModule(changed, { reportDiagnostics: true })
      if (changed === text || diagnostics?.length !== 0) t.fail(`${file}:${mutant.line} ${mutant.after}`)
    }
  }
})

test('a draw has each entry once, in order, and is the same for the same seed', async t => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(250), fc.nat(), (length, count, seed) => {
      const entries = Array.from({ length }, (_, place) => place)
      const drawn = draw(entries, count, seed)
      const isSorted = drawn.every((entry, place) => place === 0 || entry > (drawn[place - 1] ?? -1))
      return isSorted && drawn.length === Math.min(count, length) && drawn.join() === draw(entries, count, seed).join()
    }),
  )
  t.not(
    draw(Array(100).keys().toArray(), 9, 1).join(),
    draw(Array(100).keys().toArray(), 9, 2).join(),
    'another seed, another draw',
  )
})

test('mutants that are listed as equivalent are left out, wherever their line has moved', async t => {
  const mutants = findMutants(parseSource('src/a.ts', '\n\nif (a) b = 1'))
  const [first] = mutants
  const known = { path: 'src/a.ts', before: 'if (a) b = 1', after: 'if (!(a)) b = 1', why: 'an example' }
  t.equal(first?.line, 3)
  t.same(withoutEquivalents(mutants, [known]), mutants.slice(1))
  t.same(withoutEquivalents(mutants, [{ ...known, path: 'src/b.ts' }]), mutants)
})

test('near tests are the same-named one, then those that import the file by the fewest hops and folders', async t => {
  const graph = new Map([
    ['src/a/b/one.ts', []],
    ['src/a/two.ts', ['src/a/b/one.ts']],
    ['src/far.ts', ['src/a/two.ts']],
    ['src/a/very-far.ts', ['src/far.ts']],
    ['test/far.test.ts', ['src/far.ts']],
    ['test/a/whole.test.ts', ['src/a/very-far.ts']],
    ['test/a/b/zero.test.ts', []],
    ['test/a/other.test.ts', []],
    ['test/a/b/far.test.ts', ['src/far.ts']],
    ['test/a/two.test.ts', ['src/a/two.ts']],
    ['test/c/user.test.ts', ['src/a/two.ts']],
    ['test/c/far.test.ts', ['src/far.ts']],
    ['test/c/direct.test.ts', ['src/a/b/one.ts']],
    ['test/a/b/one.test.ts', ['src/far.ts']],
  ])
  const near = [
    'test/a/b/one.test.ts',
    'test/c/direct.test.ts',
    'test/a/b/far.test.ts',
    'test/a/two.test.ts',
    'test/c/user.test.ts',
    'test/a/whole.test.ts',
    'test/a/b/zero.test.ts',
  ]
  t.same(nearTests('src/a/b/one.ts', graph, 9), near)
  t.same(nearTests('src/a/b/one.ts', graph, 2), near.slice(0, 2))
})

test('a test counts as importing the file that it is named after, even if it reaches that by others only', async t => {
  const graph = new Map([
    ['src/a/b/one.ts', []],
    ['src/a/two.ts', ['src/a/b/one.ts']],
    ['src/a/whole.ts', ['src/a/two.ts']],
    ['src/a/helper.ts', ['src/a/whole.ts']],
    ['test/a/alike.test.ts', ['src/a/whole.ts']],
    ['test/a/two.test.ts', ['src/a/helper.ts']],
  ])
  t.same(nearTests('src/a/b/one.ts', graph, 9), ['test/a/two.test.ts', 'test/a/alike.test.ts'])
})

test('of equal tests those come first that have the name of the file in theirs', async t => {
  const tests = ['test/a/java.test.ts', 'test/a/one-more.test.ts', 'test/a/ones.test.ts', 'test/a/any.test.ts']
  const graph = new Map<string, string[]>(tests.map(test => [test, ['src/a/one.ts']]))
  graph.set('src/a/one.ts', [])
  t.same(nearTests('src/a/one.ts', graph, 9), [
    'test/a/one-more.test.ts',
    'test/a/any.test.ts',
    'test/a/java.test.ts',
    'test/a/ones.test.ts',
  ])
})

test('mutants are tried in a copy, and a test that fails by itself is not asked', async t => {
  const folder = t.testdir({
    'package.json': '{ "type": "module" }',
    'a.ts': 'export const isAdult = (age: number): boolean => age >= 18\n',
    'weak.test.ts': 'import { isAdult } from "./a.ts"\nif (!isAdult(40) || isAdult(3)) process.exit(1)\n',
    'strong.test.ts': 'import { isAdult } from "./a.ts"\nif (!isAdult(18)) process.exit(1)\n',
    'broken.test.ts': 'process.exit(1)\n',
  })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  const source = readFileSync(join(folder, 'a.ts'), 'utf8')
  const mutants = findMutants(parseSource('a.ts', source))
  const unusable: string[] = []
  const run = (tests: string[]): Promise<MutantResult[]> =>
    runMutants(mutants, {
      folder,
      testsFor: () => tests,
      atOnce: 2,
      timeoutMs: 30_000,
      onResult: () => {},
      onUnusable: (name, why) => unusable.push(`${name} ${why}`),
    })
  const noticed = (results: MutantResult[]) =>
    results.map(({ mutant, noticedBy }) => `${mutant.kind}: ${noticedBy}`).sort()

  t.same(noticed(await run(['broken.test.ts', 'weak.test.ts'])), [
    'boundary: null',
    'comparison: weak.test.ts',
    'number: null',
  ])
  t.same(unusable, ['broken.test.ts failed'])
  t.same(noticed(await run(['weak.test.ts', 'strong.test.ts'])), [
    'boundary: strong.test.ts',
    'comparison: weak.test.ts',
    'number: strong.test.ts',
  ])
  t.notOk((await run(['weak.test.ts'])).some(({ ranOut }) => ranOut))
  t.equal(readFileSync(join(folder, 'a.ts'), 'utf8'), source, 'the file itself was not touched')
})

test('a mutant that never ends is ended, and the copy goes with what ran in it', async t => {
  const folder = t.testdir({ 'endless.test.ts': 'for (;;);\n' })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  const copy = new TreeCopy(folder)
  t.equal(await copy.run('endless.test.ts', 300), 'timed out')
  t.ok(existsSync(copy.folder))
  copy[Symbol.dispose]()
  t.notOk(existsSync(copy.folder))
})

test('a test in a copy may take as long as it is given, and what runs under another account gets to it', async t => {
  const folder = t.testdir({ 'own-limit.test.ts': 'process.exit(Number(process.env.TAP_TIMEOUT ?? 30))\n' })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  using copy = new TreeCopy(folder)
  t.equal(await copy.run('own-limit.test.ts', 30_000), 'passed')
  t.equal(statSync(copy.folder).mode & 0o777, 0o711)
})
