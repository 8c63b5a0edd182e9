import { test } from 'tap'
import fc from 'fast-check'
import type { Outline } from '../../src/core/outline.ts'
import { Tokens } from '../../src/outline/lexis/tokens.ts'
import { outlineOf } from '../../src/outline/outline.ts'
import { growsTooFast, workDuring } from '../helpers/counted.ts'
import { codeTokens, hostilePieces, openingOf, SCANNED_LANGUAGES } from '../helpers/hostile-code.ts'
import { runs, scaled, someOf } from '../helpers/property-runs.ts'

const LENGTHS = { from: 2_000, to: 100_000 }
/** So long that a pass over the scopes for each scope would take minutes. */
const HUGE = scaled(500_000)

const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

const TOKEN_READS = ['kind', 'keyword', 'begin', 'end', 'line', 'pair', 'firstOf']

const isTooSlow = (textOf: (length: number) => string, language: string): boolean =>
  growsTooFast(length => workDuring(Tokens.prototype, TOKEN_READS, () => outlineOf(textOf(length), language)), LENGTHS)

const sizeOf = ({ scopes, imports }: Outline): number =>
  scopes.reduce((sum, { name }) => sum + name.length, 0) +
  imports.reduce((sum, { target, names }) => sum + target.length + names.join('').length, 0)

for (const language of SCANNED_LANGUAGES) {
  const opening = openingOf(language)
  const { known, others } = hostilePieces(language)
  const tried = [...known, ...someOf(others)]
  const tokens = codeTokens(language)
  const pieces = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 4 }).map(found => found.join(''))

  test(`${language}: four times the text takes about four times the steps, whatever it is made of`, async t => {
    for (const piece of tried) {
      if (isTooSlow(length => opening + repeated(piece, length), language)) t.fail(JSON.stringify(piece))
    }
    fc.assert(
      fc.property(fc.constantFrom('', ...tokens), pieces, pieces, (head, first, second) => {
        const textOf = (length: number) =>
          `${opening}${head}${repeated(first, length / 2)}${repeated(second, length / 2)}`
        return !isTooSlow(textOf, language)
      }),
      { numRuns: runs(60), seed: 1 },
    )
    t.pass()
  })

  test(`${language}: an outline is no larger than a few times its text`, async t => {
    const isUsual = (text: string): boolean => {
      const { scopes, imports } = outlineOf(text, language) ?? { scopes: [], imports: [] }
      const most = Math.max(scopes.length, imports.length)
      return most <= text.length && sizeOf({ scopes, imports }) <= 4 * text.length + 4_096
    }
    for (const piece of tried) if (!isUsual(opening + repeated(piece, 8_000))) t.fail(JSON.stringify(piece))
    for (const piece of known) if (!isUsual(opening + repeated(piece, HUGE))) t.fail(JSON.stringify(piece))
    t.pass()
  })
}

test('elements that stand in each other are no calls that stand in each other', async t => {
  const text = `x = ${'<a>'.repeat(50_000)}${'</a>'.repeat(50_000)}\nfunction b () {}\n`
  t.same(
    outlineOf(text, 'javascript')?.scopes.map(({ name, startLine }) => `${name} ${startLine}`),
    ['b 2'],
  )
})

test('a group that is never closed defines and imports nothing', async t => {
  t.same(outlineOf('type (\n a int\n', 'go')?.scopes, [])
  t.same(outlineOf('import (\n "a"\n', 'go')?.imports, [])
  t.same(outlineOf('<?php use a\\{b, c', 'php')?.imports, [])
})
