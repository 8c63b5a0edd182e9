import type { Test } from 'tap'
import { type CloneReader, createCloneReader } from '../../src/repos/objects/clone-reader.ts'
import type { Repos, ReposOptions } from '../../src/repos/repos.ts'
import { testRepos } from './test-repos.ts'

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
  const { root, clones, repos } = testRepos(t, { allowPrivateHosts: true, ...options })
  return {
    root,
    clones,
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    sync: async (url, ref, projectName = 'shop') =>
      await repos.sync({ url, ref, projectName }, { signal, onProgress: () => {} }),
  }
}
