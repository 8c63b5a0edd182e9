import { join } from 'node:path'
import type { Test } from 'tap'
import type { IndexedRepository } from '../../src/core/project.ts'
import { connectCloning } from '../../src/services/cloning.ts'
import { startGitHttpServer } from './git-http-server.ts'
import { createGitRepository, type TestFiles } from './git-repository.ts'
import { testRepos } from '../repos/test-repos.ts'

export const signal = new AbortController().signal

export const DATE = 1_750_000_000

/** A project of one repository, cloned over HTTP, whose index is only a note of what was indexed last. */
export async function taskWorld(t: Test, files: TestFiles = { a: '1\n', b: '1\n' }) {
  const { root, remotes, repos } = testRepos(t, { allowPrivateHosts: true })
  const remote = createGitRepository(join(remotes, 'shop.git'), { files })
  remote.git('config', 'http.receivepack', 'true')
  const server = await startGitHttpServer(remotes)
  t.teardown(() => server.close())
  const url = `${server.url}/shop.git`
  const sync = (branch?: string) => repos.sync({ url, branch, projectName: 'shop' }, { signal, onProgress: () => {} })
  const cloned = await sync()

  let source: Partial<IndexedRepository> = {
    repository: 'shop',
    url,
    branch: 'main',
    commit: cloned.commit,
    include: ['*'],
    exclude: ['x'],
  }
  const indexed: Array<{ commit: string; include: string[]; exclude: string[] }> = []
  const hooks = { beforeIndex: async (_commit: string) => {} }
  const running = { now: 0, most: 0 }
  const cloning = connectCloning({
    git: repos,
    store: { readManifest: async () => ({}), createProject: async () => 'there' },
    indexing: {
      prepare: () => () => {},
      async indexRepository({ repository, include, exclude }: { repository: typeof cloned } & (typeof indexed)[0]) {
        running.most = Math.max(running.most, ++running.now)
        await hooks.beforeIndex(repository.commit)
        running.now--
        indexed.push({ commit: repository.commit, include, exclude })
        source = { ...source, commit: repository.commit, branch: repository.branch }
        return { timingsMs: {} }
      },
    },
    opener: { open: () => {} },
    history: { enqueue: () => {} },
  } as never)
  return {
    root,
    remotes,
    repos,
    remote,
    server,
    sync,
    url,
    base: cloned.commit,
    gitDir: cloned.gitDir,
    indexed,
    hooks,
    running,
    index: (change: Partial<IndexedRepository>) => {
      source = { ...source, ...change }
    },
    deps: { ...cloning, git: repos, sourceOf: async () => source as IndexedRepository },
  }
}
