import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { Outline, Scope } from '../../../src/core/outline.ts'
import { CatalogueReader } from '../../../src/vecstore/catalogue/catalogue-reader.ts'
import { CatalogueWriter } from '../../../src/vecstore/catalogue/catalogue-writer.ts'
import { NameRows, type DefinitionRow, type ImportRow } from '../../../src/vecstore/catalogue/name-rows.ts'
import { randomFrom } from '../../helpers/random-from.ts'
import { contentOf, FILE } from './content-fixture.ts'

const scopeOf = (name: string, parent: number | null = null): Scope => ({
  name,
  kind: 'function',
  startLine: 1,
  endLine: 1,
  leadLine: 1,
  parent,
})

function outlineOf(names: readonly string[], imports: readonly string[] = []): Outline {
  return {
    scopes: names.map(name => scopeOf(name)),
    imports: imports.map(target => ({ target, names: [], line: 1 })),
  }
}

test('rows come by name, those of one name in the order of their contents and lines', async t => {
  const rows = new NameRows()
  rows.add(1, { ...outlineOf([], ['z', 'b']), scopes: [scopeOf('b'), scopeOf('a', 0), scopeOf('b')] })
  rows.add(2, outlineOf(['a', 'x'.repeat(201)], ['b']))
  rows.add(3, outlineOf(['c'], ['a']))
  rows.drop(new Set([3]))
  const definitions: unknown[] = []
  const imports: unknown[] = []
  rows.insert({ definition: (...row) => definitions.push(row), import: (...row) => imports.push(row) })
  t.same(definitions, [
    ['a', 1, 1, 'function', 'b', 1, 1],
    ['a', 2, 0, 'function', null, 1, 1],
    ['b', 1, 0, 'function', null, 1, 1],
    ['b', 1, 2, 'function', null, 1, 1],
  ])
  t.same(imports, [
    ['b', 1],
    ['b', 2],
    ['z', 1],
  ])
  rows.insert({ definition: () => t.fail('inserted twice'), import: () => t.fail('inserted twice') })
})

test('a content that takes the place of another one gives only the rows that the other did not have', async t => {
  const rows = new NameRows()
  const there = {
    definitions: [
      ['kept', 1, 0, 'function', null, 1, 1],
      ['moved', 1, 1, 'function', null, 7, 7],
      ['gone', 1, 2, 'function', null, 9, 9],
    ] as DefinitionRow[],
    imports: [
      ['kept', 1],
      ['gone', 1],
    ] as ImportRow[],
  }
  const stale = rows.change(1, outlineOf(['kept', 'moved'], ['kept', 'new']), there)
  t.same(stale, {
    definitions: [
      ['moved', 1, 1, 'function', null, 7, 7],
      ['gone', 1, 2, 'function', null, 9, 9],
    ],
    imports: [['gone', 1]],
  })
  const added: unknown[] = []
  rows.insert({ definition: (...row) => added.push(row), import: (...row) => added.push(row) })
  t.same(added, [
    ['moved', 1, 1, 'function', null, 1, 1],
    ['new', 1],
  ])
  t.same(rows.change(1, null, there), there, 'a language without a scanner has no names')
})

test('as many names as are held back at once, and more, are all found', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const files = 120
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    const names = Array.from({ length: 1_000 }, (_, i) => `name_${i}`)
    for (let i = 0; i < files; i++) {
      const content = { ...contentOf('x\n'), outline: outlineOf(names) }
      writer.addFile({ ...FILE, path: `${i}.py`, oid: String(i) }, content)
    }
    writer.finish()
  }
  using reader = new CatalogueReader(path)
  t.equal(reader.definitionsOf('name_0', 1_000).length, files)
  t.equal(reader.definitionsOf('name_999', 1_000).length, files)
})

const RUN_BYTES = 32_768

function runsOf(path: string): string[] {
  const bytes = readFileSync(path)
  return Array.from({ length: Math.ceil(bytes.length / RUN_BYTES) }, (_, i) =>
    createHash('sha256')
      .update(bytes.subarray(i * RUN_BYTES, (i + 1) * RUN_BYTES))
      .digest('hex'),
  )
}

test('a file that changes leaves more than half of the catalogue as it is, although its names lie all over the tree', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const random = randomFrom(1)
  const word = () => Math.floor(random() * 2 ** 32).toString(36)
  const names = Array.from({ length: 100 }, () => Array.from({ length: 60 }, word))
  const fileOf = (i: number, change: string) => ({
    // texts of random words keep their size when they are compressed
    content: {
      ...contentOf(Array.from({ length: 2_000 }, word).join(' ') + change),
      outline: outlineOf(names[i] ?? []),
    },
    file: { ...FILE, path: `${i}.py`, oid: `${i}${change}` },
  })
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    for (const i of names.keys()) {
      const { file, content } = fileOf(i, '')
      writer.addFile(file, content)
    }
    writer.finish()
  }
  for (const change of ['first', 'second', 'third']) {
    const before = new Set(runsOf(path))
    using writer = new CatalogueWriter(path, { isNew: false })
    writer.retire('repo', change === 'first' ? '7.py' : '8.py')
    const { file, content } = fileOf(change === 'first' ? 7 : 8, change)
    writer.addFile(file, content)
    writer.dropRetired()
    writer.finish()
    const after = runsOf(path)
    const changed = after.filter(run => !before.has(run))
    t.ok(changed.length * 2 < after.length, `${changed.length} of ${after.length} runs changed`)
  }
})

test('a file whose names stay as they are leaves their pages as they are', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const files = 300
  const fileOf = (i: number, change = '') => ({
    content: {
      ...contentOf(`text ${i}${change}`),
      outline: outlineOf(Array.from({ length: 60 }, (_, n) => `name ${n} of ${i}`)),
    },
    file: { ...FILE, path: `${i}.py`, oid: `${i}${change}` },
  })
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    for (let i = 0; i < files; i++) writer.addFile(fileOf(i).file, fileOf(i).content)
    writer.addFile({ ...FILE, path: 'gone.py', oid: 'gone' }, contentOf('gone'))
    writer.retire('repo', 'gone.py')
    writer.dropRetired() // makes what deleting looks into
    writer.finish()
  }
  const before = new Set(runsOf(path))
  {
    using writer = new CatalogueWriter(path, { isNew: false })
    const { file, content } = fileOf(7, ' changed')
    writer.retire('repo', '7.py')
    writer.addFile(file, content)
    writer.dropRetired()
    writer.finish()
  }
  const changed = runsOf(path).filter(run => !before.has(run))
  t.ok(changed.length <= 6, `${changed.length} of ${runsOf(path).length} runs changed`)
})
