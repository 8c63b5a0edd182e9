import type { Config } from '../config.ts'
import { withDisk, type Readiness } from '../contract/readiness.ts'
import { createRepos } from '../repos/repos.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { probeStore } from '../vecstore/probe.ts'
import { createDiskSpace } from './disk-space.ts'
import { readiness } from './readiness.ts'
import { sandboxOptions } from './sandbox-options.ts'

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
