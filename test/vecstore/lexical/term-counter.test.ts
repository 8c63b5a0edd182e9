import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import fc from 'fast-check'
import { TermCounter } from '../../../src/vecstore/lexical/term-counter.ts'
import { tokenize } from '../../../src/core/tokenize.ts'

function taken(counter: TermCounter): Map<string, number> {
  const counts = new Map<string, number>()
  counter.take((number, count) => {
    const term = counter.terms[number] ?? ''
    counts.set(term, (counts.get(term) ?? 0) + count)
  })
  return counts
}

function expected(text: string, weight: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of tokenize(text)) counts.set(term, (counts.get(term) ?? 0) + weight)
  return counts
}

const code = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'readUserConfig',
        'HTTPServerError',
        'x',
        '_',
        '__init__',
        'utf8Decoder',
        '$scope',
        'parsing',
        'größe',
        'İstanbul',
        '北京',
        '😀',
        'a'.repeat(100),
        'b'.repeat(101),
        ' ',
        '.',
        '\n',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(''))

test('it counts what the tokenizer finds, in any text, whether it remembers the identifiers or not', async t => {
  for (const remembered of [undefined, 0, 3]) {
    const counter = new TermCounter(remembered)
    fc.assert(
      fc.property(code, fc.integer({ min: 1, max: 3 }), (text, weight) => {
        counter.count(text, weight)
        return isDeepStrictEqual([...taken(counter)].sort(), [...expected(text, weight)].sort())
      }),
    )
  }
  t.pass()
})

test('texts add up until they are taken, then it begins anew', async t => {
  const counter = new TermCounter()
  counter.count('src/config.ts', 3)
  counter.count('config = load_config()')
  t.strictSame(
    taken(counter),
    new Map([
      ['src', 3],
      ['config', 5],
      ['ts', 3],
      ['load', 1],
      ['load_config', 1],
    ]),
  )
  t.equal(taken(counter).size, 0)
})

test('a term keeps its number, also one that came from elsewhere', async t => {
  const counter = new TermCounter()
  const config = counter.numberOf('config')
  counter.count('config other')
  t.same(counter.terms, ['config', 'other'])
  t.equal(counter.numberOf('config'), config)
})

test('many distinct names are counted each for itself', async t => {
  const counter = new TermCounter()
  const text = Array.from({ length: 30_000 }, (_, i) => `name${i}`).join(' ')
  counter.count(text)
  counter.count(text)
  const counts = taken(counter)
  t.equal(counts.get('name'), 60_000)
  t.equal(counts.get('name29999'), 2)
})
