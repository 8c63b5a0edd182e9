// Measures how long a repository takes to become searchable, and one more commit: the phases, the memory, and the bars to beat.
// usage: node bench/index.bench.ts REPOSITORY.git [COMMITS]   (a bare clone; COMMITS of its last first parents are indexed one by one)
// Other work on the machine stretches the wall time; the processor's time beside it hardly changes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { LSA } from '../src/embedding/lsa.ts'
import { createScopeChunker } from '../src/indexer/chunker.ts'
import type { IndexResult } from '../src/core/project.ts'
import { indexRepository } from '../src/indexer/index-repository.ts'
import { GIT_SEARCH_PATH } from '../src/repos/git-env.ts'
import { openLocalGit } from '../src/repos/local-git.ts'
import { listTree, readBlobs } from '../src/repos/objects.ts'
import { createRepos } from '../src/repos/repos.ts'
import { openStore } from '../src/vecstore/store.ts'

const BARS = { searchable: 6_000, nextCommit: 300, peak: 600 }
const FLOORS = { searchable: 2_700, nextCommit: 100, peak: 350 }

const [path, count = '5'] = process.argv.slice(2)
if (path === undefined) {
  console.error('usage: node bench/index.bench.ts REPOSITORY.git [COMMITS]')
  process.exit(2)
}

interface Step { wallMs: number, cpuMs: number, cloneMs: number, marks: string[], result: IndexResult }

/** Clones or fetches one commit and indexes it, as a clone job does, but in this thread. */
async function step (commit: string): Promise<Step> {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const sinceStart = () => Math.round(performance.now() - startedAt)
  const cloned = await repos.sync({ url, ref: commit, projectName: 'bench' }, { signal: new AbortController().signal, onProgress: () => {} })
  const cloneMs = sinceStart()
  const marks: string[] = []
  let lastPhase = ''
  const onProgress = ({ phase }: { phase: string }) => {
    if (phase !== lastPhase) marks.push(`${phase} from ${sinceStart()} ms`)
    lastPhase = phase
  }
  const result = await indexRepository({ projectName: 'bench', repository: cloned, include: [], exclude: [] }, deps, { onProgress })
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs: sinceStart(), cpuMs: Math.round((user + system) / 1_000), cloneMs, marks, result }
}

const root = mkdtempSync(join(tmpdir(), 'faultline-index-'))
const url = resolve(path)
const repos = createRepos({ clonedReposDir: join(root, 'clones'), allowLocalRepos: [dirname(url)], allowPrivateHosts: false, gitTokens: new Map() })
const deps = { store: openStore(join(root, 'store'), { minFreeBytes: 0 }), embedder: createLocalEmbedder(), learned: LSA, chunker: createScopeChunker(), listTree, readBlobs }
try {
  const { stdout } = await openLocalGit(url, { searchPath: GIT_SEARCH_PATH }).run(['rev-list', '--first-parent', `--max-count=${Number(count) + 1}`, 'HEAD'])
  const commits = stdout.toString().trim().split('\n').reverse()
  const first = await step(commits[0] ?? 'HEAD')
  const peak = Math.round(process.resourceUsage().maxRSS / 1_000)
  const { result: { filesIndexed, chunksTotal, timingsMs } } = first
  console.log(`${filesIndexed} files, ${chunksTotal} chunks`)
  console.log(`clone to searchable: ${first.wallMs} ms, processor ${first.cpuMs} ms without git (bar ${BARS.searchable}, floor ${FLOORS.searchable} for 16,000 chunks)`)
  console.log(`  clone ${first.cloneMs} ms, ${Object.entries(timingsMs).map(([phase, ms]) => `${phase} ${ms}`).join(', ')}; ${first.marks.join(', ')}`)
  console.log(`peak memory: ${peak} MB (bar ${BARS.peak}, floor ${FLOORS.peak})`)
  for (const commit of commits.slice(1)) {
    const { wallMs, cpuMs, cloneMs, result } = await step(commit)
    const phases = Object.entries(result.timingsMs).map(([phase, ms]) => `${phase} ${ms}`).join(', ')
    console.log(`one more commit: ${wallMs} ms, processor ${cpuMs} ms (bar ${BARS.nextCommit}, floor ${FLOORS.nextCommit}); +${result.chunksAdded} -${result.chunksRemoved} chunks; fetch ${cloneMs} ms, ${phases}`)
  }
  const published = await deps.store.inspect('bench')
  if (published.kind === 'whole') console.log(`${published.manifest.segments.length} segments, ${Math.round(await deps.store.storeBytes('bench') / 1e6)} MB on disk, recall of approximate search ${published.manifest.annRecall}`)
} finally {
  await repos.close()
  rmSync(root, { recursive: true, force: true })
}
