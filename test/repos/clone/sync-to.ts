import type { Test } from 'tap'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { type CloneReader, createCloneReader } from '../../../src/repos/objects/clone-reader.ts'
import type { Repos } from '../../../src/repos/repos.ts'
import type { CloneLimits } from '../../../src/repos/limits.ts'
import { testRepos } from '../test-repos.ts'

interface Setup {
  repos: Repos
  reader: CloneReader
  remotes: string
  clones: string
  sync: (
    url: string,
    more?: { branch?: string; ref?: string; projectName?: string; cloneName?: string; signal?: AbortSignal },
  ) => ReturnType<Repos['sync']>
}

export function setup(t: Test, options: { limits?: Partial<CloneLimits>; gitSearchPath?: string } = {}): Setup {
  const { remotes, clones, repos } = testRepos(t, options)
  return {
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    remotes,
    clones,
    sync: async (url, { projectName = 'shop', signal = new AbortController().signal, ...more } = {}) =>
      await repos.sync({ url, projectName, ...more }, { signal, onProgress: () => {} }),
  }
}

export const git = (gitDir: string, ...args: string[]) =>
  execFileSync('git', [`--git-dir=${gitDir}`, ...args])
    .toString()
    .trim()

export const clonesIn = (folder: string) =>
  readdirSync(folder)
    .filter(name => name !== '.faultline')
    .sort()
