import { join } from 'node:path'
import type { Test } from 'tap'
import { createRepos } from '../../../src/repos/repos.ts'
import { createSuspectSearch } from '../../../src/repos/history/suspects.ts'
import { createGitRepository, type TestRepository } from '../../helpers/git-repository.ts'

export const TEN_DAYS_S = 864_000

export const GIT = '/usr/bin:/bin'

export const numbered = (changes: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, index) => `${changes[index + 1] ?? `line ${index + 1}`}\n`).join('')

/** A remote, and a clone of it by the real code. */
export async function cloned(
  t: Test,
  { build, depth = 'full' }: { build: (remote: TestRepository) => string; depth?: 'full' | 'shallow' },
) {
  const root = t.testdir({ remotes: {} })
  const clones = join(root, 'clones')
  const repos = createRepos({
    clonedReposDir: clones,
    allowLocalRepos: [join(root, 'remotes')],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    sshKeysDir: null,
  })
  t.teardown(async () => await repos.close())
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { 'src/a.py': numbered() } })
  const commit = build(remote)
  const signal = new AbortController().signal
  await repos.sync({ url: remote.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  if (depth === 'full') await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal })
  return {
    clones,
    commit,
    remote,
    search: createSuspectSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000 }),
  }
}
