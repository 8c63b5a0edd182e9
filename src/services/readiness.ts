import type { Config } from '../config.ts'
import { withDisk, type MachineReadiness, type Readiness } from '../contract/readiness.ts'
import { createDiskSpace } from './disk-space.ts'
import { createRepos, type Repos } from '../repos/repos.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { probeStore } from '../vecstore/probe.ts'
import { embeddingOf } from './embedding.ts'
import { sandboxOptions } from './sandbox-options.ts'

/** Whether jobs can be taken, and with what. Starts git and, once in a while, a jail. */
export async function readiness(config: Config, repos: Repos, sandbox: Sandbox): Promise<MachineReadiness> {
  const [git, { available, reason, fix, memoryLimit }] = await Promise.all([repos.gitVersion(), sandbox.probe()])
  return {
    ready: git !== null,
    git: {
      available: git !== null,
      version: git?.version ?? null,
      warning: git === null ? 'git is not installed; apt-get install git' : git.warning,
    },
    sandbox: { available, reason, fix, memory_limit: memoryLimit },
    llm: { configured: config.llm !== null, model: config.llm?.model ?? null },
    embedding: embeddingOf(config),
  }
}

/** What works on this machine, looked at without a server. */
export interface Diagnosis extends Readiness {
  /** What does not work of the embedded store; null where all is well. */
  store: { vectors: string | null; catalogue: string | null }
}

/** What works on this machine. Takes no lock and writes nothing, so it also works beside a running server. */
export async function diagnose(config: Config): Promise<Diagnosis> {
  const { clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens } = config
  const repos = createRepos({ clonedReposDir, allowLocalRepos, allowPrivateHosts, gitTokens })
  const sandbox = createSandbox(sandboxOptions(config))
  try {
    const disk = await createDiskSpace(config).state()
    return { ...withDisk(await readiness(config, repos, sandbox), disk), store: probeStore() }
  } finally {
    await Promise.all([repos.close(), sandbox.close()])
  }
}
