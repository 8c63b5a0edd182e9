import type { Test } from 'tap'
import type { ForgeKind } from '../../src/core/forge-kind.ts'
import { startForgeServer, type ForgeServer } from './forge-server.ts'
import { startGitHttpServer, type GitHttpServer } from './git-http-server.ts'
import { buildProject, type ProjectWithModel } from './project-with-model.ts'
import { openFolder } from './sandbox.ts'

export interface ForgeProject extends ProjectWithModel {
  forge: ForgeServer
  remote: GitHttpServer
}

export const TOKEN = 'the-token-of-the-forge'

/** What a server needs to know a forge whose repositories a git server on loopback has. */
export const forgeEnv = (remote: GitHttpServer, forge: ForgeServer, token: string | null = TOKEN) => ({
  ALLOW_PRIVATE_HOSTS: 'true',
  FORGES: `127.0.0.1:${remote.port}=${forge.kind}@${forge.apiUrl}`,
  ...(token === null ? {} : { GIT_TOKENS: `http://127.0.0.1:${remote.port}=${token}` }),
})

/** The project `shop`, cloned over HTTP from a forge that takes pushes: the repository `repos/shop` there. */
export async function buildForgeProject(
  t: Test,
  files: Parameters<typeof buildProject>[1],
  chat: Parameters<typeof buildProject>[2],
  {
    kind = 'github',
    token = TOKEN,
    env = {},
  }: { kind?: ForgeKind; token?: string | null; env?: Record<string, string> } = {},
): Promise<ForgeProject> {
  const root = openFolder(t)
  const remote = await startGitHttpServer(root)
  t.teardown(() => remote.close())
  let branches = (): string[] => []
  const forge = await startForgeServer(t, kind, { path: 'repos/shop', token: TOKEN, branches: () => branches() })
  const project: ProjectWithModel = await buildProject(t, files, chat, {
    root,
    env: { ...forgeEnv(remote, forge, token), ...env },
    serve: async () => `${remote.url}/repos`,
  })
  branches = () => project.repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  project.repository.git('config', 'http.receivepack', 'true')
  return { ...project, forge, remote }
}

/** Has the forge merge requests as git does: with a merge commit on the branch that they are for. */
export function mergeOnForge({ repository, forge }: Pick<ForgeProject, 'repository' | 'forge'>): void {
  repository.git('config', 'user.name', 'Ada')
  repository.git('config', 'user.email', 'ada@example.com')
  forge.state.tipOf = branch => repository.git('rev-parse', branch)
  forge.state.merge = ({ head, base, message }) => {
    const tree = repository.git('merge-tree', '--write-tree', base, head)
    const commit = repository.git('commit-tree', tree, '-p', base, '-p', head, '-m', message)
    repository.git('update-ref', `refs/heads/${base}`, commit)
    return commit
  }
}

/** The job once it waits for somebody or has ended. */
export async function settled({ app }: ForgeProject, id: string) {
  for (let waits = 0; waits < 5; waits++) {
    const job = (await app.inject(`/jobs/${id}?wait=60`)).json()
    if (job.status !== 'queued' && job.status !== 'running') return job
  }
  throw new Error('the feature did not get there')
}

/** Answers the question of a job, and gives what it came to then. */
export async function reply(project: ForgeProject, id: string, body: object) {
  await project.app.inject({ method: 'POST', url: `/jobs/${id}/reply`, body })
  return settled(project, id)
}

/** The branches on the remote. */
export const remoteBranches = ({ repository }: ForgeProject): string[] =>
  repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')

/** The branches of the server's clone. */
export const localBranches = ({ git }: ForgeProject): string[] =>
  git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
    .split('\n')
    .filter(name => name !== '')
