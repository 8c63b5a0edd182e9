// A process for kill.test.ts: indexes the given commits in turn for ever, and prints a line at each step.
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects.ts'
import { openStore } from '../../src/vecstore/store.ts'

const [root = '', gitDir = '', ...commits] = process.argv.slice(2)
const deps = { listTree, readBlobs, store: openStore(root, { minFreeBytes: 0, exactBelow: 0 }), embedder: createLocalEmbedder(), chunker: createLineChunker() }
for (let i = 0; ; i++) {
  const request = { projectName: 'shop', repository: { repository: 'repo', gitDir, url: 'https://example.com/repo', branch: null, commit: commits[i % commits.length] ?? '' }, include: [], exclude: [] }
  const { generation } = await indexRepository(request, deps, { onProgress: ({ phase, done }) => process.stdout.write(`${phase} ${done}\n`) })
  process.stdout.write(`published ${generation}\n`)
}
