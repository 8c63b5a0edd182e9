import { join } from 'node:path'
import type { Test } from 'tap'
import { createSuspectSearch } from '../../../src/repos/history/suspects.ts'
import { createGitRepository, type TestRepository } from '../../helpers/git-repository.ts'
import { testRepos } from '../test-repos.ts'

export const TEN_DAYS_S = 864_000

export const GIT = '/usr/bin:/bin'

export const numbered = (changes: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, index) => `${changes[index + 1] ?? `line ${index + 1}`}\n`).join('')

/** A remote, and a clone of it by the real code. */
export async function cloned(
  t: Test,
  { build, depth = 'full' }: { build: (remote: TestRepository) => string; depth?: 'full' | 'shallow' },
) {
  const { remotes, clones, repos } = testRepos(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { 'src/a.py': numbered() } })
  const commit = build(remote)
  const signal = new AbortController().signal
  await repos.sync({ url: remote.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  if (depth === 'full') await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal })
  return {
    clones,
    commit,
    remote,
    repos,
    search: createSuspectSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000 }),
  }
}
