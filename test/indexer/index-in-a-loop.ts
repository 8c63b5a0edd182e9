// A process for kill.test.ts: indexes the given commits in turn for ever, in two phases each, makes and deletes a
// second project of them, and prints a line at each step.
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import { openStore } from '../../src/vecstore/store.ts'

const [root = '', gitDir = '', ...commits] = process.argv.slice(2)
/** One from a server is expected to take its time, so that words are published before it is asked. */
const embedder: Embedder = { ...createLocalEmbedder(), provider: 'api' }
const store = openStore(root, { minFreeBytes: 0, exactBelow: 0 })
const deps = { listTree, readBlobs, store, embedder, chunker: createLineChunker() }
const say = (line: string) => process.stdout.write(`${line}\n`)

for (let i = 0; ; i++) {
  const repository = {
    repository: 'repo',
    gitDir,
    url: 'https://example.com/repo',
    branch: null,
    commit: commits[i % commits.length] ?? '',
  }
  const { generation } = await indexRepository({ projectName: 'shop', repository, include: [], exclude: [] }, deps, {
    onProgress: ({ phase, done }) => say(`${phase} ${done}`),
  })
  say(`published ${generation}`)
  if ((await store.findProject('twin')) !== null) {
    await store.deleteProject('twin')
    say('deleted')
  }
  await indexRepository({ projectName: 'twin', repository, include: [], exclude: [] }, deps)
  say('copied')
}
