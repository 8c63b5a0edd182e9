import { test } from 'tap'
import { countTokens } from '../../src/tokens/o200k.ts'
import { COMMIT, memoryCodeReader, numberedFile } from '../fakes/memory-code-reader.ts'
import { readTrace } from '../helpers/trace-fixtures.ts'
import { codeOf, commitsWith, find, OLD, PLAIN, STORE } from './locate-in.ts'

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

test('nothing to search by is an error of its own', async t => {
  for (const stackTrace of ['---', '\u0000\u001B[31m', ' \n\t', '. , ;']) {
    t.equal(await codeOf(find(memoryCodeReader({ 'a.py': 'x\n' }), { stackTrace })), 'NO_STACK_TRACE')
  }
  for (const stackTrace of ['a.c:1', 'no']) {
    t.equal((await find(memoryCodeReader({ 'a.c': 'x\n' }), { stackTrace })).projectName, 'shop', 'a frame or a word')
  }
})

test('no file of the trace vanishes: what is not shown is dropped', async t => {
  const names = Array.from({ length: 100 }, (_, index) => `f${index}.py`)
  const reader = memoryCodeReader(Object.fromEntries(names.map(name => [`src/${name}`, numberedFile(20)])))
  const trace = (folder: string) =>
    `Traceback (most recent call last):\n${names.map(name => `  File "/srv/${folder}/${name}", line 2, in <module>\n`).join('')}ValueError: x\n`
  const all = await find(reader, { stackTrace: trace('src'), maxContextTokens: 150_000 })
  t.equal(new Set(all.sources.map(({ path }) => path)).size, 100)
  const some = await find(reader, { stackTrace: trace('src'), maxContextTokens: 1000 })
  const paths = [...some.sources, ...some.dropped].map(one => (typeof one === 'string' ? one : one.path))
  t.equal(new Set(paths).size, 100)
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
