import type { Config } from './config.ts'
import { createRepos, type Repos } from './repos/repos.ts'
import { probeStore } from './vecstore/probe.ts'

export interface Readiness {
  ready: boolean
  git: { available: boolean, version: string | null, warning: string | null }
  sandbox: { available: boolean, reason: string | null }
  llm: { configured: boolean, model: string | null }
  embedding: { provider: string, model: string }
}

/** What makes vectors, as clients are told. */
export function embeddingOf (config: Config): { provider: 'local' | 'api', model: string } {
  return config.embedding === null ? { provider: 'local', model: 'lsa-128' } : { provider: 'api', model: config.embedding.model }
}

/** Whether jobs can be taken, and with what. Starts git once. */
export async function readiness (config: Config, repos: Repos): Promise<Readiness> {
  const git = await repos.gitVersion()
  return {
    ready: git !== null,
    git: { available: git !== null, version: git?.version ?? null, warning: git?.warning ?? (git === null ? 'git is not installed; apt-get install git' : null) },
    sandbox: { available: false, reason: 'This version runs no programs.' },
    llm: { configured: config.llm !== null, model: config.llm?.model ?? null },
    embedding: embeddingOf(config),
  }
}

export interface Diagnosis extends Readiness {
  /** What does not work of the embedded store; null where all is well. */
  store: { vectors: string | null, catalogue: string | null }
}

/** What works on this machine. Takes no lock and writes nothing, so it also works beside a running server. */
export async function diagnose (config: Config): Promise<Diagnosis> {
  const { clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens } = config
  const repos = createRepos({ clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens })
  try {
    return { ...await readiness(config, repos), store: probeStore() }
  } finally {
    await repos.close()
  }
}
