import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { DATE, signal } from '../objects/commit-to.ts'
import { testRepos } from '../test-repos.ts'

const OF = { repository: 'shop', projectName: 'shop' }
const BRANCH = 'ai/task-1-attempt-1'

async function setup(t: Test) {
  const { remotes, repos } = testRepos(t, { allowPrivateHosts: true })
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1\n', b: '1\n' } })
  remote.git('config', 'http.receivepack', 'true')
  const server = await startGitHttpServer(remotes)
  t.teardown(() => server.close())
  const sync = () =>
    repos.sync({ url: `${server.url}/shop.git`, projectName: 'shop' }, { signal, onProgress: () => {} })
  const { commit: base } = await sync()
  await repos.commitFiles({ ...OF, base, branch: BRANCH, files: { a: '2\n' }, message: 'Mine\n', date: DATE }, signal)
  const made = await repos.mergeBranch({ ...OF, branch: BRANCH, onto: base, message: 'Merge\n', date: DATE }, signal)
  if (!('commit' in made)) throw new Error('there is no conflict')
  const push = (commit = made.commit, expected = base, branch = 'main') =>
    repos.pushOnto({ ...OF, commit, branch, expected }, signal)
  return { remote, server, repos, base, merged: made.commit, push, sync }
}

test('a shallow clone moves a branch of the remote on, and finds it there when it is asked again', async t => {
  const { remote, push, merged, base } = await setup(t)
  t.equal(await push(), 'pushed')
  t.equal(remote.git('rev-parse', 'main'), merged)
  t.equal(await push(), 'pushed')
  t.equal(remote.git('rev-list', '--count', 'main'), '3')
  t.equal(remote.git('fsck', '--no-dangling'), '')
  await t.rejects(push(base, merged), { code: 'BAD_REF' }, 'never back')
  await t.rejects(push(merged, base, '--force'), { code: 'BAD_REF' })
  await t.rejects(push('e'.repeat(40)), { code: 'BAD_REF' })
})

test('a branch that moved, in any direction, is not pushed over', async t => {
  const { remote, push } = await setup(t)
  const theirs = remote.commit({ b: '2\n' })
  t.equal(await push(), 'moved')
  t.equal(remote.git('rev-parse', 'main'), theirs)
  const other = remote.commit({ b: '3\n' }, { orphan: true })
  t.equal(await push(), 'moved', 'rewritten')
  t.equal(remote.git('rev-parse', 'main'), other)
  remote.git('update-ref', '-d', 'refs/heads/main')
  t.equal(await push(), 'moved', 'deleted')
  t.throws(() => remote.git('rev-parse', '--verify', 'refs/heads/main'), 'and is not made again')
})

test('a branch that was set back is not moved on over it', async t => {
  const { remote, repos, base, push, sync } = await setup(t)
  remote.commit({ b: '2\n' })
  const { commit: newer } = await sync()
  const merge = { ...OF, branch: BRANCH, onto: newer, since: base, message: 'Merge\n', date: DATE }
  const made = await repos.mergeBranch(merge, signal)
  if (!('commit' in made)) return t.fail('there is no conflict')
  remote.git('update-ref', 'refs/heads/main', base)
  t.equal(await push(made.commit, newer), 'moved')
  t.equal(remote.git('rev-parse', 'main'), base)
})

test('what the remote forbids is said in its words', async t => {
  const { remote, push, base, server } = await setup(t)
  mkdirSync(join(remote.dir, 'hooks'), { recursive: true })
  writeFileSync(join(remote.dir, 'hooks', 'pre-receive'), '#!/bin/sh\necho "main is protected" >&2\nexit 1\n', {
    mode: 0o755,
  })
  await t.rejects(push(), { code: 'PUSH_REJECTED', message: /main is protected/ })
  t.equal(remote.git('rev-parse', 'main'), base)
  server.behaviour.status = 500
  await t.rejects(push(), { code: 'REPOSITORY_UNREACHABLE' })
})
