import { test } from 'tap'
import { memoryCodeReader, numberedFile } from '../../fakes/memory-code-reader.ts'
import { readTrace } from '../../helpers/trace-fixtures.ts'
import { codeOf, commitsWith, find, OLD, PLAIN, STORE } from '../locate-in.ts'

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
