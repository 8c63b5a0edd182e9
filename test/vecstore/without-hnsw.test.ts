import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { NEEDS_HNSW } from '../helpers/hnsw.ts'

const PROGRAM = fileURLToPath(new URL('large-project.ts', import.meta.url))
const WITHOUT = new URL('../helpers/without-hnsw.ts', import.meta.url).href

/** What a process with or without hnswlib-node says of the project, after it has built it where that is asked for. */
function seenFrom(
  root: string,
  { hnsw, action = 'look' }: { hnsw: boolean; action?: 'look' | 'build' | 'build again' },
) {
  const options = hnsw ? [] : [`--import=${WITHOUT}`]
  const printed = execFileSync(process.execPath, [...options, PROGRAM, root, action], {
    encoding: 'utf8',
    env: CHILD_ENV,
  })
  return JSON.parse(printed) as Record<string, unknown> & { found: string[] }
}

test('without hnswlib-node a large project is built and searched exactly, and is whole as it is', async t => {
  const root = t.testdir()
  const exact = { hasLibrary: false, search: 'exact', read: 'exact', isWhole: true, hasGraph: false }
  const built = seenFrom(root, { hnsw: false, action: 'build' })
  t.match(built, exact)
  t.equal(built.found.length, 10)
  t.match(seenFrom(root, { hnsw: false, action: 'build again' }), { ...exact, found: built.found })
})

test(
  'an index without a graph is read where there is hnswlib-node, and gets it when it is built next',
  NEEDS_HNSW,
  async t => {
    const root = t.testdir()
    const { found } = seenFrom(root, { hnsw: false, action: 'build' })
    const before = { hasLibrary: true, search: 'exact', read: 'exact', isWhole: false, hasGraph: false, found }
    t.match(seenFrom(root, { hnsw: true }), before, 'a clone of the same commit goes on with it')
    const after = { search: 'hnsw', read: 'hnsw', isWhole: true, hasGraph: true, found }
    t.match(seenFrom(root, { hnsw: true, action: 'build again' }), after)
  },
)

test(
  'an index with a graph is read without hnswlib-node, and the next build leaves out what it cannot keep up',
  NEEDS_HNSW,
  async t => {
    const root = t.testdir()
    const { found } = seenFrom(root, { hnsw: true, action: 'build' })
    const read = { hasLibrary: false, search: 'exact', read: 'exact', isWhole: true, hasGraph: true, found }
    t.match(seenFrom(root, { hnsw: false }), read)
    t.match(seenFrom(root, { hnsw: false, action: 'build again' }), { ...read, hasGraph: false })
  },
)
