import { test } from 'tap'
import { JAVASCRIPT } from '../../../src/outline/languages/javascript-lexis.ts'
import {
  assignedName,
  BLOCK,
  GROUP,
  MEMBERS,
  OBJECT,
  withModifiers,
} from '../../../src/outline/languages/javascript-names.ts'
import { tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import { EQUALS, type Tokens } from '../../../src/outline/lexis/tokens.ts'

const read = (text: string): Tokens => tokenizeSource(text, JAVASCRIPT)

/** The name that the last `=` of a text gives a value to, behind the word that its definition begins with. */
function named(text: string, around: number | undefined = BLOCK): string | null {
  const tokens = read(text)
  const kinds = Array.from({ length: tokens.count }, (_, at) => tokens.kind(at))
  const target = assignedName(tokens, kinds.lastIndexOf(EQUALS), around)
  return target === null ? null : `${tokens.textOf(target.first)} … ${target.name}`
}

test('a variable is named, with the word that declares it', async t => {
  t.equal(named('const a = 1'), 'const … a')
  t.equal(named('export const a = 1'), 'export … a')
  t.equal(named('a = 1', undefined), 'a … a')
  t.equal(named('let a, b = 1'), 'b … b')
})

test('of a path the last part is the name', async t => {
  t.equal(named('a.b.c = 1'), 'a … c')
})

test('the name stands before its type', async t => {
  t.equal(named('const a: (x: number) => void = 1'), 'const … a')
  t.equal(named('private readonly a: Map<b, c> = 1', MEMBERS), 'private … a')
  t.equal(named('f(a: b = 1', GROUP), null)
  t.equal(named('x; y | a = 1'), null)
})

test('a default of a parameter or in a pattern names nothing, a path does', async t => {
  t.equal(named('(a = 1)', GROUP), null)
  t.equal(named('{ a = 1', OBJECT), null)
  t.equal(named('(a.b = 1)', GROUP), 'a … b')
})

test('modifiers belong to the definition, names that are called like one do not', async t => {
  const first = (text: string, at: number): string => {
    const tokens = read(text)
    return tokens.textOf(withModifiers(tokens, at))
  }
  t.equal(first('export default async function a', 3), 'export')
  t.equal(first('x static async * a', 4), 'static')
  t.equal(first('x.static a', 3), 'a')
  t.equal(first('{ * a', 2), '*')
  t.equal(first('x\n* a', 2), 'a', 'a star behind the word of another line multiplies')
})
