import type { Config } from '../config.ts'
import type { Readiness } from '../contract/readiness.ts'
import { createRepos } from '../repos/repos.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { probeStore, searchHere } from '../vecstore/probe.ts'
import { createDiskSpace } from './disk-space.ts'
import { failureOfDatabase, type DatabaseProblem } from './database-problem.ts'
import { createReadiness } from './readiness.ts'
import { sandboxOptions } from './sandbox-options.ts'

/** A person waits longer for `faultline doctor` than a balancer for /ready. */
const PATIENCE_MS = 30_000

/** What works on this machine, looked at without a server. */
export interface Diagnosis extends Omit<Readiness, 'database'> {
  /** What is wrong with the database of DATABASE_URL; null where all is well, undefined without one. */
  database: DatabaseProblem | null | undefined
  /** What does not work of the embedded store; null where all is well. Without HNSW exact search stands in. */
  store: { hnsw: string | null; catalogue: string | null }
}

/** What works on this machine. Takes no lock and writes nothing, so it also works beside a running server. */
export async function diagnose(config: Config): Promise<Diagnosis> {
  const { clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens } = config
  const repos = createRepos({ clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens })
  const sandbox = createSandbox(sandboxOptions(config))
  try {
    const sources = { git: repos, sandbox, disk: createDiskSpace(config), search: searchHere, onFailure() {} }
    const ready = createReadiness(config, sources)
    const [readiness, database] = await Promise.all([ready({ answerMs: PATIENCE_MS }), failureOfDatabase(config)])
    return { ...readiness, database, store: probeStore() }
  } finally {
    await Promise.all([repos.close(), sandbox.close()])
  }
}
