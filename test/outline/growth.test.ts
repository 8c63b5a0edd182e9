import { test } from 'tap'
import fc from 'fast-check'
import type { Outline } from '../../src/core/outline.ts'
import { OUTLINED_LANGUAGES, outlineOf, vocabularyOf } from '../../src/outline/outline.ts'
import { processorMs } from '../helpers/processor-time.ts'
import { runs, someOf } from '../helpers/property-runs.ts'

/**
 * Brackets, separators and the marks of literals in all languages: what a scanner makes of those of another one must
 * end as well.
 */
const MARKS = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '<',
  '>',
  '{}',
  '()',
  '\n',
  '\n  ',
  ' ',
  'a',
  'b c',
  '1',
  '"',
  "'",
  '`',
  '"""',
  '${',
  '#{',
  '$(',
  '\\',
  '\\(',
  '/',
  '//',
  '/*',
  '#',
  '#[',
  'r#"',
  'R"x(',
  '$@"',
  '\n#if x\n',
  '\n#else\n',
  '\n#endif\n',
  '<<EOS\n',
  '<<<X\n',
  '%w[',
  '\n=begin\n',
  '$$',
  '=',
  '=>',
  '->',
  '::',
  ':',
  ';',
  ',',
  '.',
  '@a',
  '*',
  '|',
  '!',
  '?',
  '</',
  '/>',
  '<a>',
  '<?',
  '?>',
  '(a)',
  '[a]',
  '=(',
  'a,',
]

/** Found by hand or by longer runs of the same search. */
const KNOWN: Record<string, string[]> = {
  go: ['\ntype(a ', '\nimport(', ';type a {', '{func a() struct {'],
  rust: ['use a,', `use ${'a'.repeat(390)}::{${'b::c,'.repeat(90)}};\n`, 'use a::{', 'fn pub() '],
  php: ['use{', 'use a,', '\nuse {', '#?><?'],
  scala: ['import a,', 'import a{', 'def a = '],
  kotlin: ['fun fun()', 'typealias a = b '],
  swift: ['var a:<', '`a '],
  ruby: ['class::', 'def a = '],
  cpp: ['operator ', 'a(){} : a{},'],
  javascript: ['<a>', '<a><b/>', '@a(class A{})\n', 'type a=<b,', '=a=>(b=a=>1)'],
}

/** Pieces of code that never ends, for every scanner. */
const UNFINISHED = [
  '{',
  '(',
  '<a',
  'a<',
  'a=x=>',
  '`${',
  '/',
  '"',
  '/*',
  'x:(',
  '\n def a',
  'class A ',
  'def ',
  '#if\n',
  '((a):',
  '<<A\n',
  'a(){',
  'f<a>(',
  'fn f ',
  'x = <b>',
  '[a]:',
  'a::',
  '=a(b)',
  '@a(',
  'template<',
  'import {',
  'type a=',
  'A b(c)\n',
  'create table ',
  'function f\n',
  'if x\n',
  '"#{',
  'int f(int) int x; ',
]

const SHORT = 6_000

/**
 * Twice the processor time is no more than noise on a busy machine; a quadratic scan takes sixteen times as long for
 * four times the text.
 */
const MOST_GROWTH = 9
const NOISE_MS = 12

const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

function timeOf(work: () => void): number {
  const before = processorMs()
  work()
  return processorMs() - before
}

/** The growth of time for a text four times as long; the least of some runs, as others use the machine too. */
function growthOf(textOf: (length: number) => string, language: string): number {
  let least = Infinity
  for (let run = 0; run < 4; run++) {
    const [short, long] = [textOf(SHORT), textOf(4 * SHORT)]
    const longMs = timeOf(() => outlineOf(long, language))
    if (longMs < NOISE_MS) return 0
    const shortMs = timeOf(() => outlineOf(short, language))
    least = Math.min(least, longMs / Math.max(shortMs, NOISE_MS / 8))
    if (least < MOST_GROWTH) break
  }
  return least
}

const sizeOf = ({ scopes, imports }: Outline): number =>
  scopes.reduce((sum, { name }) => sum + name.length, 0) +
  imports.reduce((sum, { target, names }) => sum + target.length + names.join('').length, 0)

/** What code begins with where a file is not code from its first line on. */
const OPENINGS: Record<string, string> = { php: '<?php ', vue: '<script>' }
const COMPONENTS = ['astro', 'svelte']
/** One language for each scanner. */
const languages = OUTLINED_LANGUAGES.filter(
  (language, at, all) =>
    language in OPENINGS ||
    (!COMPONENTS.includes(language) &&
      all.findIndex(other => !COMPONENTS.includes(other) && vocabularyOf(other) === vocabularyOf(language)) === at),
)

for (const language of languages) {
  const vocabulary = vocabularyOf(language)
  const tokens = [...vocabulary, ...vocabulary.map(word => `${word} `), ...MARKS]
  const tried = [...someOf([...tokens, ...UNFINISHED, ...Object.values(KNOWN).flat()]), ...(KNOWN[language] ?? [])]
  const opening = OPENINGS[language] ?? ''
  const pieces = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 4 }).map(found => found.join(''))

  test(`${language}: four times the text takes about four times as long, whatever it is made of`, async t => {
    for (const piece of tried) {
      const growth = growthOf(length => opening + repeated(piece, length), language)
      if (growth > MOST_GROWTH) t.fail(`${JSON.stringify(piece)}: ${growth.toFixed(1)} times as long`)
    }
    fc.assert(
      fc.property(fc.constantFrom('', ...tokens), pieces, pieces, (head, first, second) => {
        return (
          growthOf(
            length => `${opening}${head}${repeated(first, length / 2)}${repeated(second, length / 2)}`,
            language,
          ) <= MOST_GROWTH
        )
      }),
      { numRuns: runs(60), seed: 1 },
    )
    t.pass()
  })

  test(`${language}: an outline is no larger than a few times its text`, async t => {
    for (const piece of tried) {
      const text = opening + repeated(piece, 8_000)
      const outline = outlineOf(text, language)
      if (outline === null) throw new Error('no scanner')
      const { scopes, imports } = outline
      if (scopes.length > text.length || imports.length > text.length || sizeOf(outline) > 4 * text.length + 4_096) {
        const size = `${scopes.length} scopes and ${imports.length} imports of ${sizeOf(outline)} characters`
        t.fail(`${JSON.stringify(piece)}: ${size}`)
      }
    }
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
