import type { Test } from 'tap'
import { join } from 'node:path'
import { type CloneReader, createCloneReader } from '../../src/repos/objects/clone-reader.ts'
import { createRepos, type Repos, type ReposOptions } from '../../src/repos/repos.ts'

export const signal = new AbortController().signal

export const DAY_S = 86_400

export function setup(
  t: Test,
  options: Partial<ReposOptions> = {},
): {
  root: string
  clones: string
  repos: Repos
  reader: CloneReader
  sync: (url: string, ref?: string, projectName?: string) => ReturnType<Repos['sync']>
} {
  const root = t.testdir({ remotes: {} })
  const clones = join(root, 'clones')
  const repos = createRepos({
    clonedReposDir: clones,
    allowLocalRepos: [join(root, 'remotes')],
    allowPrivateHosts: true,
    gitTokens: new Map(),
    sshKeysDir: null,
    ...options,
  })
  t.teardown(async () => await repos.close())
  return {
    root,
    clones,
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    sync: async (url, ref, projectName = 'shop') =>
      await repos.sync({ url, ref, projectName }, { signal, onProgress: () => {} }),
  }
}
