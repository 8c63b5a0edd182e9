import fc from 'fast-check'
import { test } from 'tap'
import type { Outline, Scope } from '../../../src/core/outline.ts'
import { buildContext, type Context } from '../../../src/resolver/context/build-context.ts'
import type { RankedFile } from '../../../src/resolver/ranking/ranked-file.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { runs } from '../../helpers/property-runs.ts'
import { processorMs } from '../../helpers/processor-time.ts'

interface FakeFile {
  text: string
  scopes?: Scope[]
}

const linesOf = (text: string): string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')

/** Files in memory. */
function readerOf(files: Record<string, FakeFile>) {
  const known = new Map(Object.entries(files))
  return {
    fileText: (_repository: string, path: string): string | null => known.get(path)?.text ?? null,
    outline(_repository: string, path: string): Outline | null {
      const scopes = known.get(path)?.scopes
      return scopes === undefined ? null : { scopes, imports: [] }
    },
  }
}

const ranked = (path: string, entry: Partial<RankedFile> = {}): RankedFile => ({
  repository: 'shop',
  path,
  score: 0.5,
  reason: 'frame',
  why: 'failing frame',
  ranges: [],
  highlightedLines: [],
  ...entry,
})
const scope = (name: string, startLine: number, endLine: number, entry: Partial<Scope> = {}): Scope => ({
  name,
  kind: 'function',
  startLine,
  endLine,
  leadLine: startLine,
  parent: null,
  ...entry,
})
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

interface ShownLine {
  path: string
  number: number
  isMarked: boolean
  text: string
}

/** The rows of a context, as a reader of it sees them. */
function shownLines(context: string): ShownLine[] {
  let path = ''
  return context.split('\n').flatMap(row => {
    const header = /^=== File: (.+?) \[.* ===$/.exec(row)
    if (header !== null) path = header[1] ?? ''
    const line = /^(>>>| {3}) +(\d+) \|(?: (.*))?$/.exec(row)
    return line === null ? [] : [{ path, number: Number(line[2]), isMarked: line[1] === '>>>', text: line[3] ?? '' }]
  })
}

test('numbers are right-aligned, lines of the trace marked, and a short file is shown whole', async t => {
  const text =
    'import os\n\ndef process():\n    data = load()\n    result = data.process()\n    return result\n\n# end\n#\n#\n'
  const { context, sources, dropped } = buildContext(
    [ranked('utils.py', { highlightedLines: [5], ranges: [{ startLine: 3, endLine: 6, why: 'failing frame' }] })],
    { reader: readerOf({ 'utils.py': { text, scopes: [scope('process', 3, 6)] } }), maxTokens: 1000, countTokens },
  )
  t.equal(
    context,
    [
      '=== File: utils.py [lines 1-10] (stack trace lines: 5) ===',
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
    ].join('\n'),
  )
  t.match(sources, [
    {
      path: 'utils.py',
      startLine: 1,
      endLine: 10,
      symbol: 'process',
      chunkIndex: null,
      totalChunks: null,
      highlightedLines: [5],
      reason: 'frame',
      why: 'failing frame',
      score: 1,
    },
  ])
  t.same(dropped, [])
})

test('of files that likelier ones leave no room, each comes with an extract while some is left', async t => {
  const files = Array.from({ length: 6 }, (_, index) =>
    ranked(`f${index}.py`, {
      score: index === 0 ? 0.9 : 0.01,
      reason: 'lexical',
      why: 'shares words',
      ranges: [{ startLine: 1, endLine: 300, why: 'shares words' }],
    }),
  )
  const texts = Object.fromEntries(
    files.map(({ path }) => [
      path,
      { text: numbered(300), scopes: Array.from({ length: 50 }, (_, at) => scope(`s${at}`, at * 6 + 1, at * 6 + 6)) },
    ]),
  )
  const { sources } = buildContext(files, { reader: readerOf(texts), maxTokens: 2000, countTokens })
  t.ok(new Set(sources.map(({ path }) => path)).size >= 3)
  t.ok(
    sources.filter(({ path }) => path === 'f0.py').reduce((sum, { tokens }) => sum + tokens, 0) > 1200,
    'most of it shows the likeliest',
  )
})

test('of a long file the failing function comes with the headers of its scopes, and … stands for what is between', async t => {
  const scopes = [
    scope('Job', 10, 900, { kind: 'class' }),
    scope('first', 20, 60, { parent: 0 }),
    scope('process', 500, 515, { parent: 0 }),
  ]
  const { context, sources } = buildContext([ranked('job.py', { highlightedLines: [510] })], {
    reader: readerOf({ 'job.py': { text: numbered(1000), scopes } }),
    maxTokens: 300,
    countTokens,
  })
  t.match(context, /^=== File: job\.py \[lines .*\] \(stack trace lines: 510\) ===\n {6}10 \| line 10\n {7}…\n/)
  t.match(context, /\n {5}500 \| line 500\n/)
  t.match(context, /\n>>> {2}510 \| line 510\n/)
  const [source] = sources.filter(({ highlightedLines }) => highlightedLines.length > 0)
  t.match(source, { symbol: 'Job.process', highlightedLines: [510] })
  t.ok((source?.startLine ?? 0) <= 500 && (source?.endLine ?? 0) >= 515)
  t.notOk(
    sources.some(({ startLine }) => startLine === 10),
    'a header is no source',
  )
})

test('a file that was found shows where the evidence points, not its beginning', async t => {
  const file = ranked('found.py', {
    reason: 'similar',
    why: 'similar code',
    ranges: [{ startLine: 700, endLine: 720, why: 'the failing function looks like it' }],
  })
  const { sources, context } = buildContext([file], {
    reader: readerOf({ 'found.py': { text: numbered(2000), scopes: [scope('target', 700, 720)] } }),
    maxTokens: 220,
    countTokens,
  })
  t.match(context, /^=== File: found\.py \[lines 700-720\] \(found by similarity search\) ===\n/)
  t.match(sources, [
    {
      startLine: 700,
      endLine: 720,
      symbol: 'target',
      reason: 'similar',
      why: 'similar code; here: the failing function looks like it',
    },
  ])
})

test('a file to which nothing points shows its beginning', async t => {
  const { sources } = buildContext([ranked('found.py', { reason: 'related', why: 'imports it' })], {
    reader: readerOf({ 'found.py': { text: numbered(2000) } }),
    maxTokens: 300,
    countTokens,
  })
  t.equal(sources[0]?.startLine, 1)
  t.match(sources, [{ reason: 'related', why: 'imports it', symbol: null }])
})

test('lines of the trace in other files come before more of the first file', async t => {
  const files = ['a.py', 'b.py', 'c.py'].map((path, index) =>
    ranked(path, { highlightedLines: [200], score: [0.8, 0.1, 0.05][index] ?? 0 }),
  )
  const { sources } = buildContext(files, {
    reader: readerOf({
      'a.py': { text: numbered(400) },
      'b.py': { text: numbered(400) },
      'c.py': { text: numbered(400) },
    }),
    maxTokens: 800,
    countTokens,
  })
  t.same(
    sources.filter(({ highlightedLines }) => highlightedLines.includes(200)).map(({ path }) => path),
    ['a.py', 'b.py', 'c.py'],
  )
})

test('what points somewhere and is not shown is listed, with its reason, score and tokens', async t => {
  const files = [
    ranked('a.py', { highlightedLines: [200] }),
    ranked('b.py', {
      reason: 'lexical',
      why: 'holds words',
      score: 0.1,
      ranges: [{ startLine: 1, endLine: 300, why: 'holds words' }],
    }),
  ]
  const { sources, dropped } = buildContext(files, {
    reader: readerOf({ 'a.py': { text: numbered(400) }, 'b.py': { text: numbered(400) } }),
    maxTokens: 400,
    countTokens,
  })
  t.ok(
    dropped.length > 0 &&
      dropped.every(
        ({ path, reason, score, tokens }) =>
          path === 'b.py' && reason === 'lexical' && score > 0 && score < 1 && tokens > 0,
      ),
  )
  const covered = [...sources.filter(({ path }) => path === 'b.py'), ...dropped].reduce(
    (sum, { startLine, endLine }) => sum + endLine - startLine + 1,
    0,
  )
  t.ok(covered >= 300)
})

test('a file that is a chunk as a whole names it', async t => {
  const reader = {
    ...readerOf({ 'a.py': { text: numbered(20) } }),
    chunksOf: () => [{ chunkIndex: 0, totalChunks: 1, startLine: 1, endLine: 20 }],
  }
  const { context, sources } = buildContext([ranked('a.py', { highlightedLines: [7] })], {
    reader,
    maxTokens: 1000,
    countTokens,
  })
  t.match(context, /^=== File: a\.py \[chunk 1\/1, lines 1-20\] \(stack trace lines: 7\) ===\n/)
  t.match(sources, [{ chunkIndex: 0, totalChunks: 1 }])
})

test('controls that could hide code are shown, in names, too, and long lines are cut', async t => {
  const text = `x\u202Ey\u0007\n${'z'.repeat(600)}\n${'w'.repeat(1_000_000)}`
  const { context, contextTokens } = buildContext([ranked('a\nb.py', { highlightedLines: [1] })], {
    reader: readerOf({ 'a\nb.py': { text } }),
    maxTokens: 2000,
    countTokens,
  })
  t.match(context, /^=== File: a\\u000Ab\.py /)
  t.match(context, /\| x\\u202Ey\\u0007\n/)
  t.match(context, /z{500} … \(100 more characters\)\n/)
  t.match(context, /w{500} … \(999500 more characters\)$/)
  t.equal(contextTokens, countTokens(context))
})

test('a thousand frames in one file, and budgets from one token to 150,000, are answered', async t => {
  const files = [
    ranked('big.py', {
      highlightedLines: Array.from({ length: 1000 }, (_, index) => 5000 - index * 4),
      ranges: Array.from({ length: 1000 }, (_, index) => ({
        startLine: Math.max(1, 4998 - index * 4),
        endLine: 5002 - index * 4,
        why: 'frame',
      })),
    }),
  ]
  const reader = readerOf({ 'big.py': { text: numbered(5000) } })
  for (const maxTokens of [1, 30, 60, 150_000]) {
    const { context, contextTokens, sources } = buildContext(files, { reader, maxTokens, countTokens })
    t.ok(contextTokens <= maxTokens && contextTokens === countTokens(context))
    if (maxTokens === 1) t.same(sources, [])
    if (maxTokens === 60) t.match(sources, [{ highlightedLines: [5000] }])
  }
})

test('files of a million lines take little time', async t => {
  const files = Array.from({ length: 30 }, (_, index) =>
    ranked(`${index}.py`, {
      highlightedLines: [999_990, 5],
      ranges: [{ startLine: 999_980, endLine: 999_995, why: 'frame' }],
    }),
  )
  const text = numbered(10) + '\n'.repeat(1_000_000)
  const reader = readerOf(Object.fromEntries(files.map(({ path }) => [path, { text }])))
  buildContext(files, { reader, maxTokens: 10_000, countTokens })
  const start = processorMs()
  const { context, contextTokens } = buildContext(files, { reader, maxTokens: 10_000, countTokens })
  t.ok(processorMs() - start < 1_000)
  t.equal(contextTokens, countTokens(context))
  t.match(context, /^>>> +5 \| line 5$/m)
})

test('nothing ranked, an empty file and one that is gone are an empty context', async t => {
  const empty = { context: '', contextTokens: 0, sources: [], dropped: [] }
  t.same(buildContext([], { reader: readerOf({}), maxTokens: 100, countTokens }), empty)
  t.same(
    buildContext([ranked('gone.py', { highlightedLines: [3] }), ranked('empty.py')], {
      reader: readerOf({ 'empty.py': { text: '' } }),
      maxTokens: 100,
      countTokens,
    }),
    empty,
  )
})

const anyLine = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '}',
      '',
      '    ',
      '===',
      '\t\t\treturn x',
      "it's",
      '  const a = 12',
      'end // }',
      '<|endoftext|>',
      '漢字かな',
      'x'.repeat(700),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map(text => text.replaceAll('\n', ' ')) },
)
const anyFile = fc.record({
  lines: fc.array(anyLine, { minLength: 1, maxLength: 90 }),
  endsWithLineEnd: fc.boolean(),
  cuts: fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 40 })), { maxLength: 6 }),
  marks: fc.array(fc.integer({ min: 1, max: 95 }), { maxLength: 4 }),
  ranges: fc.array(fc.tuple(fc.integer({ min: 1, max: 95 }), fc.integer({ min: 0, max: 30 })), { maxLength: 4 }),
})

function checkContext(
  { context, contextTokens, sources, dropped }: Context,
  list: readonly RankedFile[],
  files: Record<string, FakeFile>,
  maxTokens: number,
): void {
  if (contextTokens > maxTokens || contextTokens !== (context === '' ? 0 : countTokens(context))) {
    throw new Error(`${contextTokens} tokens of ${maxTokens}, counted ${countTokens(context)}`)
  }
  if (context !== '' && sources.reduce((sum, { tokens }) => sum + tokens, 0) !== contextTokens) {
    throw new Error('the tokens of sources are not those of the context')
  }
  const shown = shownLines(context)
  const keys = new Set(shown.map(({ path, number }) => `${path} ${number}`))
  if (keys.size !== shown.length) throw new Error('a line stands there twice')
  for (const { path, startLine, endLine } of sources) {
    for (let line = startLine; line <= endLine; line++) {
      if (!keys.has(`${path} ${line}`)) throw new Error(`${path}:${line} is said to be shown`)
    }
  }
  for (const { path, startLine, endLine } of dropped) {
    for (let line = startLine; line <= endLine; line++) {
      if (keys.has(`${path} ${line}`)) throw new Error(`${path}:${line} is said to be dropped`)
    }
  }
  for (const { path, highlightedLines, ranges } of list) {
    const count = linesOf(files[path]?.text ?? '').length
    for (const { number, isMarked } of shown.filter(line => line.path === path)) {
      if (isMarked !== highlightedLines.includes(number)) throw new Error(`${path}:${number} is marked wrongly`)
    }
    for (const line of [
      ...highlightedLines,
      ...ranges.flatMap(({ startLine, endLine }) =>
        Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at),
      ),
    ]) {
      const isListed = dropped.some(entry => entry.path === path && entry.startLine <= line && line <= entry.endLine)
      if (line <= count && files[path]?.text !== '' && !keys.has(`${path} ${line}`) && !isListed) {
        throw new Error(`nothing is said of ${path}:${line}`)
      }
    }
  }
}

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
