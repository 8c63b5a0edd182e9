import { test } from 'tap'
import { lexis, tokenizeSource } from '../../src/outline/lexis/lexer.ts'
import { MAX_NAMES, MAX_TARGET, OutlineBuilder } from '../../src/outline/outline-builder.ts'
import { scopesOf } from './spans.ts'

test('the comment and the decorators above lead a definition', async t => {
  const scopes = scopesOf(
    'typescript',
    '/**\n * a\n */\nexport function a () {\n}\n\n@C({\n  d: 1\n})\nclass B {\n  // c\n  c () {}\n}\n',
  )
  t.same(
    scopes.map(({ name, leadLine, startLine }) => [name, leadLine, startLine]),
    [
      ['a', 1, 4],
      ['B', 7, 10],
      ['c', 11, 12],
    ],
  )
})

const BARE = lexis({ special: '', keywords: [], reader: () => () => -1 })
const builderOf = (text: string): OutlineBuilder => new OutlineBuilder(tokenizeSource(text, BARE))

test('definitions come in the order of the text, each in the closest one around it', async t => {
  const builder = builderOf('a\nb\nc\nd\ne\n')
  builder.scope('function', 'inner', 1, 2)
  builder.scope('function', 'last', 4, 4)
  builder.scope('class', 'outer', 0, 3)
  builder.scope('function', 'innermost', 2, 2)
  t.same(
    builder.build().scopes.map(({ name, parent, startLine, endLine }) => [name, parent, startLine, endLine]),
    [
      ['outer', null, 1, 4],
      ['inner', 0, 2, 3],
      ['innermost', 1, 3, 3],
      ['last', null, 5, 5],
    ],
  )
})

test('of two definitions of the same tokens the first one is around the other', async t => {
  const builder = builderOf('a b')
  builder.scope('class', 'outer', 0, 1)
  builder.scope('function', 'inner', 0, 1)
  t.same(
    builder.build().scopes.map(({ name, parent }) => [name, parent]),
    [
      ['outer', null],
      ['inner', 0],
    ],
  )
})

test('a definition ends with the text at the latest, and where it begins at the earliest', async t => {
  const builder = builderOf('a\nb\nc')
  builder.scope('function', 'long', 1, 1_000)
  builder.scope('function', 'short', 2, 0)
  builder.scope('function', 'nowhere', 3, 4)
  t.same(
    builder.build().scopes.map(({ name, startLine, endLine }) => [name, startLine, endLine]),
    [
      ['long', 2, 3],
      ['short', 3, 3],
    ],
  )
})

test('without a name, or with one of more than 200 characters, a definition is left out', async t => {
  const builder = builderOf('a')
  for (const name of ['', 'b'.repeat(200), 'c'.repeat(201)]) builder.scope('function', name, 0, 0)
  t.same(
    builder.build().scopes.map(({ name }) => name),
    ['b'.repeat(200)],
  )
})

test('attributes above a definition lead it, statements do not', async t => {
  const leadOf = (text: string, at: number): number | undefined => {
    const builder = builderOf(text)
    builder.scope('function', 'f', at, at)
    return builder.build().scopes[0]?.leadLine
  }
  t.equal(leadOf('[a]\nf', 3), 1)
  t.equal(leadOf('#[a(\n b)]\nf', 7), 1)
  t.equal(leadOf('@a\n@b(\n c)\nf', 7), 1)
  t.equal(leadOf('@a;\nf', 3), 2)
  t.equal(leadOf('a\nf', 1), 2)
  t.equal(leadOf('[a] b\nf', 4), 2)
})

test('what leads a definition is at most what its parent has below its header', async t => {
  const builder = builderOf('[a]\nb\n[c]\nd')
  builder.scope('class', 'outer', 3, 7)
  builder.scope('function', 'inner', 7, 7)
  t.same(
    builder.build().scopes.map(({ name, leadLine }) => [name, leadLine]),
    [
      ['outer', 1],
      ['inner', 3],
    ],
  )
})

test('imports come in the order of their lines, with names that may be kept', async t => {
  const builder = builderOf('a\nb')
  builder.import('second', ['x', '', 'y'.repeat(201)], 1)
  builder.importOnLine('first', [], 1)
  builder.import('', ['z'], 0)
  builder.import('t'.repeat(MAX_TARGET + 1), [], 0)
  t.same(builder.build().imports, [
    { target: 'first', names: [], line: 1 },
    { target: 'second', names: ['x'], line: 2 },
  ])
})

test('an outline holds a limited number of characters, and of names an import', async t => {
  const builder = builderOf('a')
  builder.import(
    'b',
    Array.from({ length: MAX_NAMES + 1 }, () => 'n'),
    0,
  )
  t.equal(builder.build().imports[0]?.names.length, MAX_NAMES)
  const full = builderOf('')
  for (let count = 0; count < 100; count++) full.importOnLine('t'.repeat(100), [], 1)
  t.equal(full.build().imports.length, 40)
})
