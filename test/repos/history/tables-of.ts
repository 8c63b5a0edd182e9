import type { Test } from 'tap'
import { join } from 'node:path'
import { createChangeReader } from '../../../src/repos/history/change-tables.ts'
import type { ChangeHistory } from '../../../src/repos/history/changes.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { testRepos } from '../test-repos.ts'

export const signal = new AbortController().signal

export const DAY_S = 86_400

/** A remote and the real clones of it. */
export function setup(t: Test) {
  const damaged: string[] = []
  const { remotes, clones, repos } = testRepos(t, { onDamagedChanges: repository => damaged.push(repository) })
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { 'a.py': 'a\n', 'b.py': 'b\n' } })
  return {
    remote,
    damaged,
    tables: join(clones, 'shop', 'faultline-changes'),
    read: createChangeReader({ clonedReposDir: clones }),
    sync: async (projectName = 'shop') =>
      (await repos.sync({ url: remote.dir, projectName }, { signal, onProgress: () => {} })).commit,
    fetchHistory: async (projectName = 'shop') => await repos.fetchHistory({ repository: 'shop', projectName, signal }),
    hasChanges: async () => await repos.hasChanges('shop', 'shop'),
  }
}

/** The changed files of each commit, the newest first. */
export const filesOf = (history: ChangeHistory | null): string[][] | undefined =>
  history?.commits.map(({ files }) => files.map(file => history.paths[file] ?? '?').sort())

export const manyFiles = (count: number, text: string): TestFiles =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`many/${i}.py`, text]))
