import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import type { CodeReader } from '../../src/resolver/code/code-reader.ts'
import { locate, type LocateDeps, type LocateRequest } from '../../src/resolver/locate.ts'
import { countTokens, TOKENIZER } from '../../src/tokens/o200k.ts'
import { chunkLines, COMMIT, memoryCodeReader, numberedFile } from '../fakes/memory-code-reader.ts'
import { readTrace } from '../helpers/trace-fixtures.ts'

const PLAIN = `import json
from store import load_order

def total(order):
    prices = [line["price"] * line["count"] for line in order["lines"]]
    return sum(prices) / order["customers"]

def main():
    order = load_order('{"lines": [{"price": 2, "count": 3}], "customers": 0}')
    print(total(order))

main()
`
const STORE =
  'import json\n\n\n\n\n\ndef load_order(text):\n    return json.loads(text)\n\ndef read(key):\n    shelf = {}\n    return shelf[key]\n'

function find(
  reader: CodeReader,
  request: Partial<LocateRequest> & { stackTrace: string },
  deps: Partial<LocateDeps> = {},
) {
  return locate(
    { projectName: 'shop', maxContextTokens: 16_000, ...request },
    {
      reader,
      embedQuery: async () => new Float32Array(2),
      commits: {
        resolveCommit: async () => null,
        listFiles: async () => [],
        readAtCommit: async () => null,
        listOutputs: async () => [],
        listTags: async () => [],
        outlineText: () => null,
        chunkText: (text, file) => chunkLines(text, file),
      },
      readChanges: async () => null,
      countTokens,
      tokenizer: TOKENIZER,
      now: () => 0,
      ...deps,
    },
  )
}

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing thrown',
    (error: unknown) => (error instanceof FaultlineError ? error.code : String(error)),
  )

test('a trace becomes mapped frames, its code with marks, and the commit it was read at', async t => {
  const located = await find(memoryCodeReader({ 'py/plain.py': PLAIN, 'py/store.py': STORE }), {
    stackTrace: readTrace('python-3.11-plain'),
  })
  t.match(located, {
    projectName: 'shop',
    commit: COMMIT,
    indexState: 'ready',
    framesTotal: 3,
    tokenizer: 'o200k_base',
    dropped: [],
  })
  t.same(
    located.frames.map(({ path, codeLine, match }) => [path, codeLine, match]),
    [
      ['py/plain.py', 12, 'suffix'],
      ['py/plain.py', 10, 'suffix'],
      ['py/plain.py', 6, 'suffix'],
    ],
  )
  t.match(located.sources, [
    { path: 'py/plain.py', reason: 'frame', why: /^failing frame/, highlightedLines: [6, 10, 12] },
  ])
  t.match(located.context, /^=== File: py\/plain\.py \[chunk 1\/1, lines 1-12\] \(stack trace lines: 6, 10, 12\) ===\n/)
  t.match(located.context, /\n>>> {3}6 \| {5}return sum\(prices\)/)
  t.equal(located.contextTokens, countTokens(located.context))
  t.match(located.exceptions, [{ type: 'ZeroDivisionError', relation: 'root', fingerprint: /^[0-9a-f]{32}$/ }])
})

test('the failing frame comes first, its callers after it, causes after both', async t => {
  const reader = memoryCodeReader({
    'py/cause.py': numberedFile(20),
    'py/store.py': numberedFile(20),
    'py/other.py': numberedFile(20),
  })
  const { sources } = await find(reader, { stackTrace: readTrace('python-3.11-cause') })
  t.same(
    sources.slice(0, 2).map(({ path, why }) => [path, why.split(';')[0]]),
    [
      ['py/store.py', 'failing frame'],
      ['py/cause.py', 'frame 3, a caller of the failing one'],
    ],
  )
  t.ok(sources.every(({ score }, i) => score > 0 && score <= (sources[i - 1]?.score ?? 1)))
})

test('"exception" chooses the failure that the answer is about', async t => {
  const reader = memoryCodeReader({ 'py/context.py': numberedFile(20), 'py/store.py': numberedFile(20) })
  const first = async (exception?: number) =>
    (await find(reader, { stackTrace: readTrace('python-3.11-context'), exception })).sources[0]?.path
  t.equal(await first(), 'py/context.py')
  t.equal(await first(0), 'py/store.py')
  t.equal(
    await codeOf(find(reader, { stackTrace: readTrace('python-3.11-context'), exception: 2 })),
    'EXCEPTION_NOT_FOUND',
  )
})

test('a file of the trace that is not in the index leaves what its name, its functions and the message lead to', async t => {
  const reader = memoryCodeReader({
    'src/orders.py': 'def ship(order):\n    raise ValueError("no address")\n',
    'src/x.py': numberedFile(9),
  })
  const { sources, frames } = await find(
    reader,
    {
      stackTrace:
        'Traceback (most recent call last):\n  File "/app/legacy_orders.py", line 3, in ship\n    go()\nValueError: no address',
    },
    { embedQuery: async () => null },
  )
  t.match(frames, [{ match: 'none', inProject: false }])
  t.match(sources[0], { path: 'src/orders.py', reason: /^(?:lexical|related)$/ })
})

test('an answer in which no file stands out says so, a clear one does not', async t => {
  const reader = memoryCodeReader({ 'py/plain.py': PLAIN, 'py/store.py': STORE })
  t.equal((await find(reader, { stackTrace: readTrace('python-3.11-plain') })).notice, undefined)
  const noticeWith = async (files: Record<string, string>) =>
    (
      await find(
        memoryCodeReader(files),
        { stackTrace: readTrace('python-3.11-plain') },
        { embedQuery: async () => null },
      )
    ).notice
  const alike = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(name => [`lib/${name}.rb`, 'division by zero\n']))
  t.match(await noticeWith(alike), /^Low confidence: no file stands out\. The first, lib\/a\.rb,/)
  t.match(await noticeWith({ 'lib/far.rb': 'x\n' }), /^Low confidence: nothing in the text leads to a file/)
})

test('text without a frame is searched by its words', async t => {
  const reader = memoryCodeReader({
    'src/discount.py': 'def apply_discount(cart):\n    raise ValueError\n',
    'src/other.py': 'x = 1\n',
  })
  const { sources, exceptions, context } = await find(
    reader,
    { stackTrace: 'the discount of my cart is wrong' },
    { embedQuery: async () => null },
  )
  t.same(exceptions, [])
  t.match(sources, [{ path: 'src/discount.py' }])
  t.match(context, /^=== File: src\/discount\.py/)
})

test('an embedder that is down costs only the vectors, and the answer says so', async t => {
  const reader = memoryCodeReader({ 'src/discount.py': 'def apply_discount(cart):\n    raise ValueError\n' })
  const { sources, degraded } = await find(
    reader,
    { stackTrace: 'apply_discount fails' },
    {
      embedQuery: async () => {
        throw new FaultlineError('EMBEDDING_UNAVAILABLE', 'down')
      },
    },
  )
  t.match(sources, [{ reason: 'lexical', why: /the embedding service did not answer/ }])
  t.equal(degraded, true)
  t.equal((await find(reader, { stackTrace: 'apply_discount fails' })).degraded, false)
  await t.rejects(
    find(
      reader,
      { stackTrace: 'apply_discount fails' },
      {
        embedQuery: async () => {
          throw new TypeError('a bug')
        },
      },
    ),
    TypeError,
    'a bug is not taken for it',
  )
})

test('nothing to search by is an error of its own', async t => {
  for (const stackTrace of ['---', '\u0000\u001B[31m', ' \n\t', '. , ;']) {
    t.equal(await codeOf(find(memoryCodeReader({ 'a.py': 'x\n' }), { stackTrace })), 'NO_STACK_TRACE')
  }
})

const OLD = 'a'.repeat(40)

/** The commit of tag v1, which holds these files. */
function commitsWith(old: Record<string, string>, asked: string[] = []): LocateDeps['commits'] {
  return {
    resolveCommit: async (_repository, ref) => (ref === 'v1' ? OLD : null),
    listFiles: async () => Object.keys(old).map(path => ({ path, oid: `old ${path}` })),
    readAtCommit: async (_repository, commit, path) => {
      asked.push(`${commit.slice(0, 1)} ${path}`)
      return old[path] ?? null
    },
    listOutputs: async () => [],
    listTags: async () => [],
    outlineText: () => null,
    chunkText: (text, file) => chunkLines(text, file),
  }
}

test("with ref the frames' files are read as they were then", async t => {
  const reader = memoryCodeReader({ 'py/plain.py': numberedFile(40), 'py/store.py': STORE })
  const asked: string[] = []
  const commits = commitsWith({ 'py/plain.py': `# licence\n${PLAIN}` }, asked)
  const located = await find(reader, { stackTrace: readTrace('python-3.11-plain'), ref: 'v1' }, { commits })
  t.equal(located.commit, OLD)
  t.same(asked, ['a py/plain.py'])
  t.same(
    located.frames.map(({ codeLine }) => codeLine),
    [13, 11, 7],
  )
  t.match(located.context, /\n>>> {3}7 \| {5}return sum\(prices\)/)
  t.equal(
    await codeOf(find(reader, { stackTrace: readTrace('python-3.11-plain'), ref: 'v2' }, { commits })),
    'REF_NOT_FOUND',
  )
})

test('with ref the files are those of that commit, and what a search found elsewhere says so', async t => {
  const reader = memoryCodeReader({ 'py/keep.py': 'def total(order): pass\n' })
  const { frames, sources } = await find(
    reader,
    { stackTrace: readTrace('python-3.11-plain'), ref: 'v1' },
    { commits: commitsWith({ 'py/plain.py': PLAIN }) },
  )
  t.match(frames.at(-1), { path: 'py/plain.py', codeLine: 6, inProject: true }, 'a file that the indexed commit lacks')
  t.match(
    sources.find(({ path }) => path === 'py/plain.py'),
    { reason: 'frame' },
  )
  const searched = await find(
    reader,
    { stackTrace: 'the total of an order is wrong', ref: 'v1' },
    { commits: commitsWith({ 'py/plain.py': PLAIN }), embedQuery: async () => null },
  )
  t.match(searched.sources, [{ path: 'py/keep.py', why: /; as of the indexed commit c{12}$/ }])
})

test('what is the same at the ref as in the index is not read again', async t => {
  const base = memoryCodeReader({ 'py/plain.py': PLAIN })
  const files = [{ repository: 'shop', path: 'py/plain.py', oid: 'old py/plain.py' }]
  const asked: string[] = []
  const located = await find(
    { ...base, files: () => files },
    { stackTrace: readTrace('python-3.11-plain'), ref: 'v1' },
    { commits: commitsWith({ 'py/plain.py': 'other\n' }, asked) },
  )
  t.same(asked, [])
  t.equal(located.frames.at(-1)?.codeLine, 6)
})

test('only the failure in question has a failing frame; another one in the project does not stand for it', async t => {
  const reader = memoryCodeReader({
    'src/other.py': 'def work():\n    raise KeyError\n',
    'src/discount.py': 'def apply_discount():\n    pass\n',
  })
  const one =
    'Traceback (most recent call last):\n  File "/srv/src/other.py", line 2, in work\n    raise KeyError\nKeyError: 1\n\n'
  const two =
    'Traceback (most recent call last):\n  File "/usr/lib/python3.11/json/decoder.py", line 3, in apply_discount\n    go()\nValueError: apply_discount\n'
  const { sources } = await find(reader, { stackTrace: one + two }, { embedQuery: async () => null })
  const other = sources.find(({ path }) => path === 'src/other.py')
  t.match(other, { reason: 'frame', why: 'frame 0 of another failure in the text (KeyError)' })
  t.ok(
    sources.some(({ path }) => path === 'src/discount.py'),
    'the failure itself is searched for',
  )
})

test('no file of the trace vanishes: what is not shown is dropped', async t => {
  const names = Array.from({ length: 100 }, (_, index) => `f${index}.py`)
  const reader = memoryCodeReader(Object.fromEntries(names.map(name => [`src/${name}`, numberedFile(20)])))
  const trace = (folder: string) =>
    `Traceback (most recent call last):\n${names.map(name => `  File "/srv/${folder}/${name}", line 2, in <module>\n`).join('')}ValueError: x\n`
  const all = await find(reader, { stackTrace: trace('src'), maxContextTokens: 150_000 })
  t.equal(new Set(all.sources.map(({ path }) => path)).size, 100)
  const some = await find(reader, { stackTrace: trace('src'), maxContextTokens: 1000 })
  t.equal(new Set([...some.sources, ...some.dropped].map(({ path }) => path)).size, 100)
})

test('a version of the project in the text that fits a tag is offered', async t => {
  const reader = memoryCodeReader({ 'py/plain.py': PLAIN })
  const asked: string[] = []
  const commits = {
    ...commitsWith({}),
    resolveCommit: async (_: string, ref: string) => (ref === 'v4.0.0' ? COMMIT : OLD),
    listTags: async (repository: string) => {
      asked.push(repository)
      return ['v1.2.3', 'v2.0.0', 'v4.0.0']
    },
  }
  const why = async (head: string) =>
    (await find(reader, { stackTrace: `${head}\n${readTrace('python-3.11-plain')}` }, { commits })).frames.at(-1)
      ?.why ?? ''
  t.match(
    await why('Shop: 1.2.3'),
    /; the text names version 1\.2\.3: "ref": "v1\.2\.3" reads the code as it was then$/,
  )
  t.match(await why('# shop version: 2.0.0 (python 3.11)'), /"ref": "v2\.0\.0"/)
  t.notMatch(await why('python 1.2.3, shop'), /ref/, 'a version of something else')
  t.notMatch(await why('shop 3.0.0'), /ref/, 'no such tag')
  t.notMatch(await why('shop 4.0.0'), /ref/, 'the commit that is indexed')
  t.equal(asked.length, 5)
  await why('shop')
  t.equal(asked.length, 5, 'where the text names no version, no tag is read')
})

test('mappings and exclusions of the project reach the frames', async t => {
  const reader = memoryCodeReader({ 'code/plain.py': PLAIN, 'py/plain.py': PLAIN })
  const stackTrace = readTrace('python-3.11-plain')
  const from = /File "(.*)\/plain\.py"/.exec(stackTrace)?.[1] ?? ''
  const { frames } = await find(reader, { stackTrace, pathMappings: [{ from, to: 'code' }] })
  t.match(frames.at(-1), { path: 'code/plain.py', match: 'override' })
  const excluded = await find(
    reader,
    { stackTrace, inAppExclude: ['py'] },
    {
      globTest:
        ([glob]) =>
        path =>
          path.startsWith(`${glob}/`),
    },
  )
  t.match(excluded.frames.at(-1), { path: 'py/plain.py', inProject: false })
})

test('equal requests get equal answers', async t => {
  const reader = memoryCodeReader({
    'js/lib/cart.js': numberedFile(600),
    'js/console.js': numberedFile(700),
    'js/cause.mjs': numberedFile(30),
  })
  const request = { stackTrace: readTrace('node-20-console') + readTrace('node-20-cause'), maxContextTokens: 2000 }
  t.same(await find(reader, request), await find(reader, request))
})
