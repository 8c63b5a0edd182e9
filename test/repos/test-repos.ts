import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createRepos, type Repos, type ReposOptions } from '../../src/repos/repos.ts'
import { testFolder } from '../helpers/test-folder.ts'

/** Clones in a folder, without tokens and keys unless given; closed in the teardown. */
export function openRepos(t: Test, options: Partial<ReposOptions> & Pick<ReposOptions, 'clonedReposDir'>): Repos {
  const repos = createRepos({
    allowLocalRepos: [],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    sshKeysDir: null,
    ...options,
  })
  t.teardown(async () => await repos.close())
  return repos
}

/** Clones in a folder of the test; repositories that are made in `remotes` can be cloned by path. */
export function testRepos(
  t: Test,
  options: Partial<ReposOptions> = {},
): { root: string; remotes: string; clones: string; repos: Repos } {
  const root = testFolder(t)
  const [remotes, clones] = [join(root, 'remotes'), join(root, 'clones')]
  mkdirSync(remotes)
  return {
    root,
    remotes,
    clones,
    repos: openRepos(t, { clonedReposDir: clones, allowLocalRepos: [remotes], ...options }),
  }
}
