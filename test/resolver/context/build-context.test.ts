import fc from 'fast-check'
import { test } from 'tap'
import { buildContext, type Context } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { anyFile, checkContext, type FakeFile, linesOf, ranked, readerOf, scope } from './build-from.ts'
import { runs } from '../../helpers/property-runs.ts'

test('a context keeps its budget, counts true, shows no line twice, and its sources say what it shows', async t => {
  fc.assert(
    fc.property(
      fc.array(anyFile, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4000 }),
      (specs, maxTokens) => {
        const files: Record<string, FakeFile> = {}
        const list = specs.map((spec, index) => {
          const path = `f${index}.txt`
          const text = spec.lines.join('\n') + (spec.endsWithLineEnd ? '\n' : '')
          const scopes = spec.cuts
            .toSorted((a, b) => a[0] - b[0])
            .map(([start, length], at) =>
              scope(`s${at}`, start, Math.min(start + length, spec.lines.length), { leadLine: Math.max(1, start - 1) }),
            )
            .filter(({ startLine }) => startLine <= spec.lines.length)
          files[path] = { text, scopes }
          return ranked(path, {
            reason: spec.marks.length > 0 ? 'frame' : 'lexical',
            score: 0.5 / (index + 1),
            highlightedLines: spec.marks,
            ranges: spec.ranges.map(([start, length]) => ({
              startLine: start,
              endLine: start + length,
              why: 'points',
            })),
          })
        })
        const build = (): Context => buildContext(list, { reader: readerOf(files), maxTokens, countTokens })
        const result = build()
        checkContext(result, list, files, maxTokens)
        if (JSON.stringify(build()) !== JSON.stringify(result)) throw new Error('the same files give another context')
      },
    ),
    { numRuns: runs(150) },
  )
  t.pass('150 contexts were checked')
})

test('with room for everything every line of the trace is shown', async t => {
  fc.assert(
    fc.property(fc.array(anyFile, { minLength: 1, maxLength: 4 }), specs => {
      const files = Object.fromEntries(specs.map((spec, index) => [`f${index}.txt`, { text: spec.lines.join('\n') }]))
      const list = specs.map((spec, index) => ranked(`f${index}.txt`, { highlightedLines: spec.marks, score: 0.2 }))
      const { sources } = buildContext(list, { reader: readerOf(files), maxTokens: 150_000, countTokens })
      for (const [index, spec] of specs.entries()) {
        const text = files[`f${index}.txt`]?.text ?? ''
        const expected =
          text === '' ? [] : [...new Set(spec.marks)].filter(line => line <= linesOf(text).length).sort((a, b) => a - b)
        const marked = sources
          .filter(({ path }) => path === `f${index}.txt`)
          .flatMap(({ highlightedLines }) => highlightedLines)
        if (marked.join() !== expected.join()) throw new Error(`${marked.join()} instead of ${expected.join()}`)
      }
    }),
    { numRuns: runs(60) },
  )
  t.pass('60 contexts were checked')
})
