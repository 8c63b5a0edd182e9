import { join } from 'node:path'
import { test } from 'tap'
import fc from 'fast-check'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { createLineChunker, createScopeChunker } from '../../src/indexer/chunker.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import type { GenerationReader } from '../../src/vecstore/generation-reader.ts'
import { openStore, type Store } from '../../src/vecstore/store.ts'
import { createGitRepository, type TestFiles, type TestRepository } from '../helpers/git-repository.ts'
import { runs } from '../helpers/property-runs.ts'

type Content = Exclude<TestFiles[string], null>

interface Settings {
  include?: string[]
  exclude?: string[]
  chunker?: 'lines' | 'scopes'
}

/** By name, so that a counterexample is short. */
const CONTENTS: Record<string, Content> = {
  python: 'import shop.cart\n\ndef load_user(user_id):\n    return users[user_id]\n',
  pythonCrlf: 'import shop.cart\r\n\r\ndef load_user(user_id):\r\n    return users[user_id]\r\n',
  types:
    'class Cart:\n    def total(self):\n        return sum(self.prices)\n\n    def clear(self):\n' +
    '        self.prices = []\n',
  long: Array.from({ length: 90 }, (_, i) => `def part_${i}(price):\n    return price * rate_${i % 7}\n\n`).join(''),
  javascript: "const { total } = require('./cart')\n\nfunction load_user (id) {\n  return total(id)\n}\n",
  script: '#!/usr/bin/env python3\nprint(total)\n',
  executable: { executable: '#!/usr/bin/env python3\nprint(total)\n' },
  link: { symlink: 'shop/cart.py' },
  submodule: { submodule: 'a'.repeat(40) },
  empty: '',
  small: 'total = 1\n',
  binary: Buffer.from('total\u0000total\n'),
  latin: Buffer.from([0x74, 0x6f, 0xff, 0xfe, 0x0a]),
  tooLarge: 'total\n'.repeat(200_000),
}
const PATHS = [
  'shop/cart.py',
  'shop/Cart.py',
  'shop/user.py',
  'shop',
  'cart.js',
  'lib/cart/index.js',
  'lib/cart',
  'tool',
  'README.md',
  '.env',
  'node_modules/x/cart.js',
  'src/cart.min.js',
  'copy of cart.py',
]
const FIRST = {
  'shop/cart.py': 'types',
  'shop/user.py': 'python',
  'cart.js': 'javascript',
  'lib/cart/index.js': 'javascript',
  tool: 'executable',
  'README.md': 'small',
}
const NAMES = ['load_user', 'Cart', 'total', 'clear', 'part_3']
const TERMS = ['total', 'load', 'user', 'load_user', 'price', 'cart', 'part', 'print', 'import']

async function index(
  store: Store,
  project: string,
  repository: TestRepository,
  commit: string,
  { include = [], exclude = [], chunker = 'scopes' }: Settings = {},
): Promise<void> {
  const request = {
    projectName: project,
    repository: { repository: 'repo', gitDir: repository.dir, url: 'https://example.com/repo', branch: 'main', commit },
    include,
    exclude,
  }
  await indexRepository(request, {
    listTree,
    readBlobs,
    store,
    embedder: createLocalEmbedder(),
    chunker: chunker === 'lines' ? createLineChunker() : createScopeChunker(),
  })
}

/** All that rankers can see of an index, in an order that does not depend on how it came about. */
async function everything(reader: GenerationReader): Promise<object> {
  const files = reader.files()
  const [query = new Float32Array()] = (await createLocalEmbedder().embed(['the total price of a cart'])).vectors
  const places = (found: ReadonlyArray<{ path: string; startLine?: number; score: number }>) =>
    found.map(({ path, startLine = 0, score }) => `${path}:${startLine} ${score.toFixed(5)}`).sort()
  const queries = [...TERMS.map(term => [[term, 1]] as const), TERMS.map((term, i) => [term, 1 + i] as const)].map(
    entries => new Map(entries),
  )
  return {
    counts: [reader.manifest.filesIndexed, reader.manifest.chunksTotal, reader.manifest.languages],
    files,
    texts: files.map(({ repository, path }) => [reader.fileText(repository, path), reader.outline(repository, path)]),
    chunks: files.flatMap(({ repository, path }) => reader.chunksOf(repository, path)),
    definitions: [
      ...NAMES.flatMap(name => reader.definitionsOf(name)),
      ...files.flatMap(({ repository, path }) => reader.definitionsIn(repository, path)),
    ],
    imports: files.map(({ repository, path }) =>
      [reader.importsOf(repository, path), reader.importersOf(repository, path)].map(found =>
        found.map(file => file.path).sort(),
      ),
    ),
    frequencies: TERMS.map(term => reader.documentFrequency(term)),
    words: queries.map(terms => places(reader.searchTerms(terms, 1_000))),
    fileWords: queries.map(terms => places(reader.searchFileTerms(terms, 1_000))),
    vectors: places(reader.searchVectors(query, 1_000)),
  }
}

async function everythingIn(store: Store, project: string): Promise<object> {
  await using reader = await store.openReader(project)
  return await everything(reader)
}

type Change =
  | { kind: 'set'; path: string; content: string }
  | { kind: 'delete'; path: string }
  | { kind: 'move' | 'copy'; path: string; to: string }

const path = fc.constantFrom(...PATHS)
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      path,
      content: fc.constantFrom(...Object.keys(CONTENTS)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('move' as const, 'copy' as const), path, to: path }) },
)
const settings: fc.Arbitrary<Settings> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Settings>({ exclude: ['shop/**'] }, { include: ['**/*.py'] }, { chunker: 'lines' }),
  },
)
/** `back`: to the tree of so many commits ago, as a force-push or another branch does. */
const step = fc.record({
  changes: fc.array(change, { minLength: 2, maxLength: 6 }),
  back: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) }),
  settings,
})

/** The tree after a change; a file takes the place of a folder of its name, and the other way round. */
function applied(tree: ReadonlyMap<string, string>, change: Change): Map<string, string> {
  const next = new Map(tree)
  const put = (path: string, content: string) => {
    for (const other of next.keys()) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) next.delete(other)
    }
    next.set(path, content)
  }
  const content = tree.get(change.path)
  if (change.kind === 'set') put(change.path, change.content)
  else if (change.kind === 'delete') next.delete(change.path)
  else if (content !== undefined) {
    if (change.kind === 'move') next.delete(change.path)
    put(change.to, content)
  }
  return next
}

test('after any sequence of commits an index that grew is the same as one that was made at once', async t => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 5 }), async steps => {
      const dir = join(t.testdir(), String(run++))
      const store = openStore(join(dir, 'store'), { minFreeBytes: 0 })
      const repository = createGitRepository(join(dir, 'repo.git'))
      const trees: Array<Map<string, string>> = [new Map(Object.entries(FIRST))]
      for (const [round, { changes, back, settings }] of steps.entries()) {
        const position = Math.max(0, trees.length - 1 - (back ?? 0))
        const start = trees[position] ?? new Map()
        const tree = back === null ? changes.reduce(applied, start) : start
        trees.push(tree)
        const commit = repository.commit(
          {
            ...Object.fromEntries(Array.from(tree, ([path, name]) => [path, CONTENTS[name] ?? null])),
            'keep.py': 'total = 0\n',
          },
          { orphan: true },
        )
        await index(store, 'grown', repository, commit, settings)
        await index(store, `fresh-${round}`, repository, commit, settings)
        t.strictSame(
          await everythingIn(store, 'grown'),
          await everythingIn(store, `fresh-${round}`),
          `run ${run}, round ${round}`,
        )
        if (!t.passing()) throw new Error('They differ.')
      }
    }),
    { numRuns: runs(8), seed: 20_261_122, endOnFailure: true },
  )
})
