import type { Test } from 'tap'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CloneReader, createCloneReader } from '../../src/repos/objects/clone-reader.ts'
import type { GitProgress, Repos, ReposOptions } from '../../src/repos/repos.ts'
import { type GitHttpBehaviour, type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository, type TestRepository } from '../helpers/git-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { openRepos } from './test-repos.ts'

interface Setup {
  server: GitHttpServer
  remote: TestRepository
  url: string
  clones: string
  repos: Repos
  reader: CloneReader
  sync: (
    url: string,
    more?: { branch?: string; ref?: string; signal?: AbortSignal; onProgress?: (progress: GitProgress) => void },
  ) => ReturnType<Repos['sync']>
}

export async function withServer(
  t: Test,
  behaviour: GitHttpBehaviour = {},
  {
    tokenForServer,
    tokenForHttps,
    gitTokens = new Map(),
    ...options
  }: Partial<ReposOptions> & { tokenForServer?: string; tokenForHttps?: string } = {},
): Promise<Setup> {
  const root = testFolder(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '1' } })
  const server = await startGitHttpServer(join(root, 'remotes'), behaviour)
  const clones = join(root, 'clones')
  const tokens = new Map(gitTokens)
  if (tokenForServer !== undefined) tokens.set(`http://127.0.0.1:${server.port}`, tokenForServer)
  if (tokenForHttps !== undefined) tokens.set(`127.0.0.1:${server.port}`, tokenForHttps)
  t.teardown(() => server.close()) // after the clones: tap undoes in reverse
  const repos = openRepos(t, { clonedReposDir: clones, allowPrivateHosts: true, gitTokens: tokens, ...options })
  return {
    server,
    remote,
    url: `${server.url}/shop.git`,
    clones,
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    sync: async (url, { signal = new AbortController().signal, onProgress = () => {}, ...more } = {}) =>
      await repos.sync({ url, projectName: 'shop', ...more }, { signal, onProgress }),
  }
}

/** Everything that is on disk below a folder, as one text. */
export function contentBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n')
}

/** A clone with two requests for its history, one of which fetches without end. */
export async function deepening(t: Test): Promise<Setup & { tip: string; histories: Array<Promise<string>> }> {
  const made = await withServer(t)
  const { server, remote, url, sync, repos } = made
  const tip = remote.commit({ a: '2' })
  await sync(url)
  server.behaviour = { stall: true }
  const { signal } = new AbortController()
  const histories = [1, 2].map(
    async () => await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }),
  )
  await server.stalled
  server.behaviour = {}
  return { ...made, tip, histories }
}
