import fc from 'fast-check'
import { test } from 'tap'
import type { Chunk } from '../../src/core/chunk.ts'
import { buildContext } from '../../src/resolver/context.ts'
import type { Selected } from '../../src/resolver/select-sources.ts'
import { countTokens } from '../../src/resolver/tokens.ts'
import { chunkLines, numberedFile } from '../fakes/memory-code-reader.ts'

const chunks = (path: string, text: string): Chunk[] => chunkLines(text, { repository: 'shop', path })

function pick (chunk: Chunk | undefined, entry: Partial<Selected> = {}): Selected {
  if (chunk === undefined) throw new Error('no such chunk')
  return { chunk, highlightedLines: [], reason: 'frame', why: 'failing frame', score: 1, ...entry }
}

test('numbers are right-aligned and lines of the trace marked', async (t) => {
  const [chunk] = chunks('utils.py', 'import os\n\ndef process():\n    data = load()\n    result = data.process()\n    return result\n\n# end\n#\n#\n')
  const { context } = buildContext([pick(chunk, { highlightedLines: [5] })], 1000, countTokens)
  t.equal(context, [
    '=== File: utils.py [chunk 1/1, lines 1-10] (stack trace lines: 5) ===',
    '      1 | import os',
    '      2 |',
    '      3 | def process():',
    '      4 |     data = load()',
    '>>>   5 |     result = data.process()',
    '      6 |     return result',
    '      7 |',
    '      8 | # end',
    '      9 | #',
    '     10 | #',
  ].join('\n'))
})

test('a whole chunk of several names itself; the source says which one it is', async (t) => {
  const [, second] = chunks('big.py', numberedFile(1000))
  const { context, sources } = buildContext([pick(second, { highlightedLines: [700, 600] })], 16_000, countTokens)
  t.match(context, /^=== File: big\.py \[chunk 2\/3, lines 451-950\] \(stack trace lines: 600, 700\) ===\n {5}451 \| line 451\n/)
  t.match(context, /\n>>> {2}600 \| line 600\n/)
  t.match(sources, [{ path: 'big.py', startLine: 451, endLine: 950, chunkIndex: 1, totalChunks: 3, highlightedLines: [600, 700], symbol: null }])
  t.equal(sources.length, 1)
})

test('of a whole file found by similarity the first 100 lines are shown, of a short one all', async (t) => {
  const [long] = chunks('long.py', numberedFile(300))
  const [short] = chunks('short.py', numberedFile(30))
  const { context, sources, dropped } = buildContext([pick(long, { reason: 'similar', score: 0.4 }), pick(short, { reason: 'similar', score: 0.3 })], 16_000, countTokens)
  t.match(context, /^=== File: long\.py \[lines 1-100\] \(found by similarity search\) ===\n/)
  t.match(context, /\n\n=== File: short\.py \[chunk 1\/1, lines 1-30\] \(found by similarity search\) ===\n/)
  t.match(sources, [{ startLine: 1, endLine: 100, chunkIndex: null, totalChunks: null }, { chunkIndex: 0, totalChunks: 1 }])
  t.same(dropped, [])
})

test('overlapping chunks show no line twice, and each trace line is marked where it stands', async (t) => {
  const [first, second] = chunks('big.py', numberedFile(900))
  const { context, sources } = buildContext([pick(second, { highlightedLines: [700] }), pick(first, { highlightedLines: [480, 20], score: 0.9 })], 50_000, countTokens)
  const numbers = [...context.matchAll(/^(?:>>>| {3}) +(\d+) \|/gm)].map(match => Number(match[1]))
  t.equal(new Set(numbers).size, numbers.length)
  t.equal(numbers.length, 900)
  t.same(sources.map(({ startLine, endLine, chunkIndex, highlightedLines }) => ({ startLine, endLine, chunkIndex, highlightedLines })), [
    { startLine: 451, endLine: 900, chunkIndex: 1, highlightedLines: [480, 700] }, { startLine: 1, endLine: 450, chunkIndex: null, highlightedLines: [20] },
  ])
})

test('a chunk that does not fit is cut around its trace lines, and the rest is listed with its tokens', async (t) => {
  const [chunk] = chunks('big.py', numberedFile(500))
  const { context, contextTokens, sources, dropped } = buildContext([pick(chunk, { highlightedLines: [250] })], 300, countTokens)
  t.ok(contextTokens <= 300 && contextTokens > 200)
  t.match(context, /^=== File: big\.py \[lines \d+-\d+\] \(stack trace lines: 250\) ===\n/)
  t.match(context, /\n>>> {2}250 \| line 250\n/)
  t.match(sources, [{ chunkIndex: null, totalChunks: null }])
  t.match(dropped, [{ path: 'big.py', startLine: 1, reason: 'frame' }, { path: 'big.py', endLine: 500, reason: 'frame' }])
  t.equal((dropped[0]?.endLine ?? 0) + 1, sources[0]?.startLine)
  t.ok(dropped.every(({ tokens }) => tokens > 0))
})

test('every frame gets its surroundings before one gets more; what was searched for comes last', async (t) => {
  const selected = ['a.py', 'b.py', 'c.py'].map((path, index) => pick(chunks(path, numberedFile(400))[0], { highlightedLines: [200], score: 1 - index / 100 }))
  const found = pick(chunks('d.py', numberedFile(90))[0], { reason: 'similar', score: 0.3 })
  const { sources, dropped, contextTokens } = buildContext([...selected, found], 800, countTokens)
  t.same(sources.map(({ path }) => path), ['a.py', 'b.py', 'c.py'])
  const lengths = sources.map(({ startLine, endLine }) => endLine - startLine + 1)
  t.ok((lengths[0] ?? 0) > (lengths[1] ?? 0) && lengths[1] === 13 && lengths[2] === 13, lengths.join())
  t.ok(dropped.some(({ path, startLine, endLine }) => path === 'd.py' && startLine === 1 && endLine === 90))
  t.ok(contextTokens <= 800)
})

test('distant trace lines of one chunk each keep their surroundings', async (t) => {
  const [chunk] = chunks('big.py', numberedFile(500))
  const { sources, context } = buildContext([pick(chunk, { highlightedLines: [450, 40, 45] })], 400, countTokens)
  t.same(sources.map(({ highlightedLines }) => highlightedLines), [[450], [40, 45]])
  t.match(context, /\n>>> {2}45 \|/)
})

test('the count is that of the whole text and never above the budget, whatever the code holds', async (t) => {
  const line = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('}', '', '    ', '===', '\t\t\t', 'x'.repeat(3000), '<|endoftext|>', '漢字かな'))
  fc.assert(fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 1500 }), (files, budget) => {
    const selected = files.map((lines, index) => pick(chunks(`${index}.txt`, lines.map(text => text.replaceAll('\n', ' ')).join('\n'))[0], index % 2 === 0 ? { highlightedLines: [1] } : { reason: 'similar', score: 0.2 }))
    const { context, contextTokens, sources } = buildContext(selected, budget, countTokens)
    if (contextTokens > budget || contextTokens !== (context === '' ? 0 : countTokens(context))) throw new Error(`${contextTokens} of ${budget}`)
    if ((sources.length === 0) !== (context === '')) throw new Error('sources are what is shown')
  }), { numRuns: 60 })
  t.pass('60 contexts were counted')
})

test('controls that could hide code are shown, in names, too, and long lines are cut', async (t) => {
  const [chunk] = chunks('a\nb.py', `x\u202Ey\u0007\n${'z'.repeat(600)}\n`)
  const { context } = buildContext([pick(chunk)], 2000, countTokens)
  t.match(context, /^=== File: a\\u000Ab\.py /)
  t.match(context, /\| x\\u202Ey\\u0007\n/)
  t.match(context, /z{500} … \(100 more characters\)$/)
})

test('nothing selected is an empty context', async (t) => {
  t.same(buildContext([], 100, countTokens), { context: '', contextTokens: 0, sources: [], dropped: [] })
})
