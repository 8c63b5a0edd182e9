import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { BRANCH, DATE, setup, signal } from '../objects/commit-to.ts'
import { openRepos } from '../test-repos.ts'

test('a shallow clone takes a commit, and what is pushed from it the remote takes; it never takes another one in its place', async t => {
  const { root, remote } = await setup(t)
  for (let i = 0; i < 5; i++) remote.commit({ 'b.txt': `${i}\n` })
  remote.git('config', 'http.receivepack', 'true')
  const server = await startGitHttpServer(join(root, 'remotes'), { credentials: 'x-access-token:secret' })
  t.teardown(() => server.close())
  const clones = join(root, 'other-clones')
  const own = openRepos(t, {
    clonedReposDir: clones,
    allowPrivateHosts: true,
    gitTokens: new Map([[`http://127.0.0.1:${server.port}`, 'secret']]),
  })
  const { commit: base, gitDir } = await own.sync(
    { url: `${server.url}/shop.git`, projectName: 'shop' },
    { signal, onProgress: () => {} },
  )
  t.ok(existsSync(join(gitDir, 'shallow')))
  const request = {
    repository: 'shop',
    projectName: 'shop',
    base,
    branch: BRANCH,
    files: { 'a.py': 'pushed\n' },
    message: 'Push\n',
    date: DATE,
  }
  const { commit } = await own.commitFiles(request, signal)
  await own.push(request, signal)
  t.equal(remote.git('rev-parse', `refs/heads/${BRANCH}`), commit)
  await own.push(request, signal)
  remote.commit({ 'a.py': 'theirs\n' }, { branch: 'other' })
  remote.git('update-ref', `refs/heads/${BRANCH}`, 'refs/heads/other')
  await t.rejects(own.push(request, signal), {
    code: 'PUSH_REJECTED',
    message: /did not take the branch "faultline\/job": .*\[rejected\].*(?:fetch first|non-fast-forward)/,
  })
  t.notMatch(
    readdirSync(gitDir, { recursive: true, encoding: 'utf8' })
      .filter(name => statSync(join(gitDir, name)).isFile())
      .map(name => readFileSync(join(gitDir, name), 'latin1'))
      .join(''),
    /secret/,
  )
  mkdirSync(join(remote.dir, 'hooks'), { recursive: true })
  writeFileSync(
    join(remote.dir, 'hooks', 'pre-receive'),
    '#!/bin/sh\necho "branches are closed to secret" >&2\nexit 1\n',
    { mode: 0o755 },
  )
  await own.commitFiles({ ...request, branch: 'faultline/second' }, signal)
  await t.rejects(
    own.push({ ...request, branch: 'faultline/second' }, signal),
    { code: 'PUSH_REJECTED', message: /branches are closed to \*\*\*/ },
    "with the remote's words, without the token",
  )
  server.behaviour.status = 500
  await t.rejects(own.push(request, signal), { code: 'REPOSITORY_UNREACHABLE' })
  server.behaviour.status = undefined
  server.behaviour.credentials = 'x-access-token:other'
  await t.rejects(own.push(request, signal), { code: 'REPOSITORY_AUTH_FAILED' })
  await t.rejects(
    own.push({ ...request, branch: 'main' }, signal),
    { code: 'NOT_FOUND' },
    'only what was committed for the project',
  )
})

test('a push to a local repository runs none of its hooks', async t => {
  const { root, remote, repos, commitTo } = await setup(t)
  const mark = join(root, 'mark')
  mkdirSync(join(remote.dir, 'hooks'), { recursive: true })
  for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction']) {
    writeFileSync(join(remote.dir, 'hooks', hook), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 })
  }
  const { commit } = await commitTo({ 'a.py': 'pushed\n' })
  await repos.push({ repository: 'shop', projectName: 'shop', branch: BRANCH }, signal)
  t.equal(remote.git('rev-parse', `refs/heads/${BRANCH}`), commit)
  t.notOk(existsSync(mark))
})

test('a push without credentials that is refused says which to set, and where the work is', async t => {
  const { root, remote } = await setup(t)
  const server = await startGitHttpServer(join(root, 'remotes'))
  t.teardown(() => server.close())
  const url = `${server.url}/shop.git`
  const key = `http://127.0.0.1:${server.port}`
  const open = (gitTokens: Map<string, string>, clonedReposDir: string) =>
    openRepos(t, { clonedReposDir: join(root, clonedReposDir), allowPrivateHosts: true, gitTokens })
  const pushed = async (own: ReturnType<typeof open>) => {
    const { commit: base } = await own.sync({ url, projectName: 'shop' }, { signal, onProgress: () => {} })
    const of = { repository: 'shop', projectName: 'shop', branch: BRANCH }
    await own.commitFiles({ ...of, base, files: { 'a.py': 'x\n' }, message: 'Push\n', date: DATE }, signal)
    return () => own.push(of, signal)
  }
  const push = await pushed(open(new Map(), 'first'))
  remote.git('config', 'http.receivepack', 'false') // 403
  const tokenIsMissing = new RegExp(`GIT_TOKENS=${key}=token .*GET /jobs/\\{id\\}/patch`)
  await t.rejects(push(), { code: 'PUSH_REJECTED', fix: tokenIsMissing })
  server.behaviour.credentials = 'x-access-token:secret' // 401
  await t.rejects(push(), { code: 'REPOSITORY_AUTH_FAILED', message: /pushed to/, fix: tokenIsMissing })
  server.behaviour.credentials = undefined
  const withToken = await pushed(open(new Map([[key, 'secret']]), 'second'))
  await t.rejects(withToken(), {
    code: 'PUSH_REJECTED',
    fix: new RegExp(`rights of the token for ${key} in GIT_TOKENS`),
  })
})
