import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const FILES = { 'README.md': '# Shop', 'packages/x [1]/a.py': 'def a():\n    pass\n', 'packages/y/b.py': 'b = 1\n' }

/** The app, and a forge on loopback with the repository `acme/shop`. */
async function forge(t: Test) {
  const built = await buildApp(t, { env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  const remotes = built.reposDir
  mkdirSync(join(remotes, 'acme'))
  const remote = createGitRepository(join(remotes, 'acme', 'shop.git'), { files: FILES })
  const side = remote.commit({ 'side.py': 'c = 1\n' }, { branch: 'feature/side' })
  const server = await startGitHttpServer(remotes)
  t.teardown(() => server.close())
  return { ...built, remote, side, url: `${server.url}/acme/shop` }
}

test('the address of a folder indexes that folder of that branch, and the same repository stays one', async t => {
  const built = await forge(t)
  const { url, side, root } = built
  const body = { project_name: 'shop' }
  t.match((await cloneInto(t, built, { ...body, url: `${url}.git/` })).result, { files_indexed: 3, branch: 'main' })
  t.match((await cloneInto(t, built, { ...body, url: `${url}/tree/main/packages/x%20%5B1%5D/` })).result, {
    branch: 'main',
    repository: 'shop',
    files_indexed: 1,
    files_skipped: { excluded: 2 },
  })
  t.match((await cloneInto(t, built, { ...body, url: ` ${url}/tree/feature/side/packages?tab=x#y\n` })).result, {
    branch: 'feature/side',
    commit: side,
    files_indexed: 2,
  })
  t.match((await cloneInto(t, built, { ...body, url: `${url}/src/branch/feature/side` })).result, {
    branch: 'feature/side',
    files_indexed: 4,
  })
  t.match((await cloneInto(t, built, { ...body, url: `${url}/-/commit/${side}` })).result, {
    branch: null,
    commit: side,
  })
  t.match((await built.app.inject('/projects/shop')).json().repositories, [{ repository: 'shop' }])
  t.strictSame(
    readdirSync(join(root, 'cloned_repos')).filter(name => !name.startsWith('.')),
    ['shop'],
  )
})

test('the request has the last word on the branch and on what is indexed', async t => {
  const built = await forge(t)
  const { url, side } = built
  const pasted = { url: `${url}/tree/main/packages/y` }
  t.match((await cloneInto(t, built, { ...pasted, branch: 'feature/side' })).result, { commit: side, files_indexed: 1 })
  t.match((await cloneInto(t, built, { ...pasted, include: ['**/*.md'] })).result, { branch: 'main', files_indexed: 1 })
  t.match((await cloneInto(t, built, { ...pasted, ref: side })).result, { commit: side, files_indexed: 1 })
})

test('a pull request is read at its head, and a job that is run again reads the same', async t => {
  const built = await forge(t)
  const { url, remote, side, app } = built
  remote.git('update-ref', 'refs/pull/7/head', side)
  const job = await cloneInto(t, built, { url: `${url}/pull/7/files` })
  t.match(job.result, { branch: null, commit: side })
  remote.git('update-ref', 'refs/pull/7/head', remote.commit({ 'd.py': 'd = 1\n' }, { branch: 'pr' }))
  const retried = await app.inject({ method: 'POST', url: `/jobs/${job.id}/retry`, body: {} })
  const ended = await built.services.jobs.settled(retried.json().id, 60_000)
  t.match(ended, { status: 'succeeded' })
  t.not((ended.result as { commit: string }).commit, side)
})

test('a first clone that fails leaves no project behind, whatever was pasted', async t => {
  const built = await forge(t)
  const { url, app } = built
  const failing: Array<[address: string, code: string]> = [
    [`${url}/tree/nowhere/packages`, 'REF_NOT_FOUND'],
    [`${url}/tree/main/nowhere`, 'NOTHING_TO_INDEX'],
    [`${url}/pull/99`, 'REF_NOT_FOUND'],
    [`${url}-missing/tree/main`, 'REPOSITORY_NOT_FOUND'],
    [`${url}/-/commit/${'a'.repeat(40)}`, 'REF_NOT_FOUND'],
  ]
  for (const [address, code] of failing) {
    const res = await app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: address } })
    t.match(res.json(), { status: 'failed', error: { code } }, address)
    t.strictSame((await app.inject('/projects')).json().data, [], address)
  }
})
