import { isLoopback, type Config } from '../config.ts'
import type { Readiness } from '../contract/readiness.ts'
import { homedir } from 'node:os'
import { createRepos, type Repos } from '../repos/repos.ts'
import { configuredRegistries } from '../sandbox/network/registries.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import { probeStore } from '../vecstore/probe.ts'

/** What makes vectors, as clients are told. */
export function embeddingOf(config: Config): { provider: 'local' | 'api'; model: string } {
  return config.embedding === null
    ? { provider: 'local', model: 'lsa-128' }
    : { provider: 'api', model: config.embedding.model }
}

/** Whether jobs can be taken, and with what. Starts git and, once in a while, a jail. */
export async function readiness(config: Config, repos: Repos, sandbox: Sandbox): Promise<Readiness> {
  const [git, state] = await Promise.all([repos.gitVersion(), sandbox.probe()])
  return {
    ready: git !== null,
    git: {
      available: git !== null,
      version: git?.version ?? null,
      warning: git?.warning ?? (git === null ? 'git is not installed; apt-get install git' : null),
    },
    sandbox: state,
    llm: { configured: config.llm !== null, model: config.llm?.model ?? null },
    embedding: embeddingOf(config),
  }
}

export interface Diagnosis extends Readiness {
  /** What does not work of the embedded store; null where all is well. */
  store: { vectors: string | null; catalogue: string | null }
}

/** What the configuration says of the sandbox. */
export function sandboxOptions(config: Config): SandboxOptions {
  const { mode, memoryMb, timeoutMs, registries, registryVariables } = config.sandbox
  const configured = configuredRegistries(registryVariables, homedir())
  return {
    mode,
    memoryMb,
    timeoutMs,
    workspacesDir: config.workspacesDir,
    dataDir: config.dataDir,
    loopbackOnly: isLoopback(config.host),
    registries: registries ?? configured.hosts,
    registryEnv: configured.env,
    allowPrivateHosts: config.allowPrivateHosts,
    home: homedir(),
  }
}

/** What works on this machine. Takes no lock and writes nothing, so it also works beside a running server. */
export async function diagnose(config: Config): Promise<Diagnosis> {
  const { clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens } = config
  const repos = createRepos({ clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens })
  const sandbox = createSandbox(sandboxOptions(config))
  try {
    return { ...(await readiness(config, repos, sandbox)), store: probeStore() }
  } finally {
    await Promise.all([repos.close(), sandbox.close()])
  }
}
