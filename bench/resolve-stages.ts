import { join } from 'node:path'
import { createGlobTest } from '../src/indexer/path-globs.ts'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { createChangeReader } from '../src/repos/history/change-tables.ts'
import type { CommitReader } from '../src/resolver/code/code-at-commit.ts'
import { writeFound } from '../src/contract/resolution-json.ts'
import { locate } from '../src/resolver/locate.ts'
import { countTokens, TOKENIZER } from '../src/tokens/o200k.ts'
import { openStore } from '../src/vecstore/store.ts'
import { seedOf, seedSources, withinBudget } from './eval/seed.ts'

const MAX_TOKENS = 16_000
const SEED_TRACES = 20

/** Nothing is asked of git: its processes are no time of ours, and the load on the server has them. */
const COMMITS: CommitReader = {
  resolveCommit: async () => null,
  listTags: async () => [],
  listOutputs: async () => [],
  listFiles: async () => [],
  readAtCommit: async () => null,
  outlineText: () => null,
  chunkText: () => [],
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * CPU milliseconds a trace, by stage, of what a resolve thread does: when the same traces come again, and when each
 * comes for the first time; and what the plain baseline takes.
 */
export async function stagesOf({
  root,
  project,
  traces,
}: {
  root: string
  project: string
  traces: readonly string[]
}): Promise<string> {
  const embedder = createLocalEmbedder()
  const store = openStore(join(root, 'vector_store'), {
    embedding: { provider: embedder.provider, model: embedder.model },
  })
  await using reader = await store.openReader(project)
  const deps = {
    reader,
    embedQuery: async () => null,
    commits: COMMITS,
    readChanges: createChangeReader({ clonedReposDir: join(root, 'cloned_repos') }),
    globTest: createGlobTest,
    countTokens,
    tokenizer: TOKENIZER,
    now: cpuMs,
  }
  async function stagesOfRound(): Promise<string> {
    const sums = new Map<string, number>()
    for (const stackTrace of traces) {
      const startedAt = cpuMs()
      const code = await locate({ projectName: project, stackTrace, maxContextTokens: MAX_TOKENS }, deps)
      const all = cpuMs() - startedAt
      writeFound(code)
      for (const [stage, ms] of Object.entries({ ...code.timingsMs, all, written: cpuMs() - startedAt - all })) {
        sums.set(stage, (sums.get(stage) ?? 0) + ms)
      }
    }
    return [...sums].map(([stage, ms]) => `${stage} ${(ms / traces.length).toFixed(2)}`).join(', ')
  }
  const first = await stagesOfRound()
  const again = await stagesOfRound()
  const seed = await seedOf(
    reader.files().map(file => ({ ...file, text: reader.fileText(file.repository, file.path) ?? '' })),
  )
  const seedStartedAt = cpuMs()
  for (const trace of traces.slice(0, SEED_TRACES)) withinBudget(await seedSources(trace, seed), MAX_TOKENS, { reader })
  return `CPU ms a request, located in one thread: ${again}
the same, each trace for the first time: ${first}
seed (base names, 3 nearest windows): ${((cpuMs() - seedStartedAt) / SEED_TRACES).toFixed(2)} ms CPU, without HTTP`
}
