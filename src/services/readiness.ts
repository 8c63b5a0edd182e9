import type { Config } from '../config.ts'
import type { MachineReadiness } from '../contract/readiness.ts'
import type { Repos } from '../repos/repos.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { embeddingOf } from './embedding.ts'

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
