import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, listen } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { bundled, leftIn, projectsOf, tarGz, upload, type Entry } from '../helpers/uploads.ts'

test('a bundle becomes a project as a clone does, and a further one updates it', async t => {
  const built = await buildApp(t)
  const { shop, bundle } = bundled(built)
  const first = shop.git('rev-parse', 'main')
  const job = await upload(built, bundle('--all'))
  t.match(job, {
    http: 200,
    type: 'clone',
    status: 'succeeded',
    headers: { location: `/jobs/${job.id}` },
    result: { project_name: 'shop', repository: 'shop', branch: 'main', commit: first, files_indexed: 5 },
  })
  t.strictSame(leftIn(built, '.uploads'), [], 'the file is not kept')
  const resolve = await built.app.inject({
    method: 'POST',
    url: '/resolve',
    body: { project_name: 'shop', stacktrace: SHOP_TRACE, mode: 'context' },
  })
  t.match(resolve.json(), { commit: first, frames: [{ path: 'src/shop/cart.py' }, { path: 'src/shop/prices.py' }] })

  const second = shop.commit({ 'src/shop/new.py': 'def new():\n    return 1\n' })
  t.match(await upload(built, bundle('main', `^${first}`)), {
    status: 'succeeded',
    result: { commit: second, files_indexed: 6, chunks_added: 1 },
  })
  t.match(await upload(built, bundle('--all')), { result: { commit: second, chunks_added: 0 } })
  await built.services.idle()
  t.match(await projectsOf(built), [
    { repositories: [{ repository: 'shop', url: 'upload://shop/shop', commit: second, history: 'full' }] },
  ])
  t.equal((await built.app.inject({ method: 'DELETE', url: '/projects/shop' })).statusCode, 204)
  t.strictSame(leftIn(built, '.uploaded'), [])
})

test('a branch, a tag and globs can be chosen, as of a clone', async t => {
  const built = await buildApp(t)
  const { shop, bundle } = bundled(built)
  const side = shop.commit({ 'side.py': 'side = 1\n' }, { branch: 'side' })
  shop.git('tag', 'v1', side)
  const all = bundle('--all')
  t.match(await upload(built, all, '&branch=side'), { result: { branch: 'side', commit: side } })
  t.match(await upload(built, all, '&ref=v1&include=side.py,src/**'), { result: { commit: side, files_indexed: 5 } })
  t.match(await upload(built, all, '&branch=none'), { status: 'failed', error: { code: 'BRANCH_NOT_FOUND' } })
  t.match(await upload(built, all, '&branch=-x'), { http: 400, code: 'BAD_REF' })
  t.match(await upload(built, all, '&colour=red'), { http: 400, code: 'VALIDATION_FAILED' })
})

test('plain files in an archive are committed by the server, and the same files again are the same commit', async t => {
  const built = await buildApp(t)
  const files = (cart: string): Entry[] => [
    { name: 'tree/', type: 'directory' },
    { name: 'tree/src/cart.py', content: cart },
    { name: 'tree/run.sh', content: 'echo\n', mode: 0o755 },
    { name: 'tree/docs/latest', type: 'symlink', linkname: '../src/cart.py' },
    { name: `tree/${'long-'.repeat(30)}/ünïcode "quoted".py`, content: 'a = 1\n' },
  ]
  const first = await upload(built, await tarGz(files('def total():\n    return 1\n')))
  t.match(first, { status: 'succeeded', result: { branch: 'main', files_indexed: 3, files_skipped: { symlink: 1 } } })
  const same = await upload(built, await tarGz(files('def total():\n    return 1\n')))
  t.match(same, { result: { commit: first.result.commit, chunks_added: 0 } })
  const changed = await upload(built, await tarGz(files('def total():\n    return 2\n')))
  t.not(changed.result.commit, first.result.commit)
  const gitDir = join(built.root, 'cloned_repos', '.uploaded', 'shop', 'shop')
  const log = execFileSync('git', [`--git-dir=${gitDir}`, 'log', '--format=%H', 'main'])
    .toString()
    .trim()
    .split('\n')
  t.strictSame(log, [changed.result.commit, first.result.commit])
  const listed = execFileSync('git', [`--git-dir=${gitDir}`, 'ls-tree', '-r', '-z', 'main']).toString()
  t.match(listed, /100755 blob [0-9a-f]{40}\trun\.sh/)
  t.match(listed, /ünïcode "quoted"\.py/)
})

test('the folder of a repository, or a bare one, is taken with its history, and nothing of its settings', async t => {
  const built = await buildApp(t)
  const origin = createGitRepository(join(built.reposDir, 'shop'), {
    files: { 'a.py': 'a = 1\n' },
    branch: 'trunk',
    worktree: true,
  })
  const tip = origin.commit({ 'b.py': 'b = 1\n' })
  origin.git('config', 'core.fsmonitor', 'touch /tmp/never')
  writeFileSync(join(origin.dir, 'uncommitted.py'), 'c = 1\n')
  const tar = (folder: string, ...names: string[]) => execFileSync('tar', ['-C', folder, '-czf', '-', ...names])
  for (const packed of [false, true]) {
    if (packed) origin.git('gc', '--quiet')
    for (const archive of [tar(built.reposDir, 'shop'), tar(origin.dir, '.'), tar(join(origin.dir, '.git'), '.')]) {
      t.match(await upload(built, archive), {
        status: 'succeeded',
        result: { branch: 'trunk', commit: tip, files_indexed: 2 },
      })
    }
  }
  const gitDir = join(built.root, 'cloned_repos', '.uploaded', 'shop', 'shop')
  t.notMatch(readFileSync(join(gitDir, 'config'), 'utf8'), /fsmonitor/)
  t.equal(
    execFileSync('git', [`--git-dir=${gitDir}`, 'rev-list', '--count', 'trunk'])
      .toString()
      .trim(),
    '2',
  )
})

test('the same key and file give the same job; a full disk refuses before anything is written', async t => {
  let free = Infinity
  const built = await buildApp(t, { freeBytes: async () => free })
  const archive = await tarGz([{ name: 'a.py', content: 'a = 1\n' }])
  const key = { 'idempotency-key': 'k1' }
  const first = await upload(built, archive, '', key)
  t.match(await upload(built, archive, '', key), { id: first.id, headers: { 'idempotency-replayed': 'true' } })
  const other = await tarGz([{ name: 'a.py', content: 'a = 2\n' }])
  t.match(await upload(built, other, '', key), { http: 409, code: 'IDEMPOTENCY_KEY_REUSED' })
  t.strictSame(leftIn(built, '.uploads'), [])
  free = 0
  t.match(await upload(built, other), { http: 507, code: 'DISK_FULL' })
  t.strictSame(leftIn(built, '.uploads'), [])
})

test('a job is run again from what it took in; one whose file is gone says so', async t => {
  const built = await buildApp(t)
  const job = await upload(built, await tarGz([{ name: 'a.py', content: 'a = 1\n' }]))
  const retry = async (id: string) =>
    (await built.app.inject({ method: 'POST', url: `/jobs/${id}/retry?wait=60`, body: {} })).json()
  t.match(await retry(job.id), { status: 'succeeded', result: { commit: job.result.commit } })
  await upload(built, await tarGz([{ name: 'a.py', content: 'a = 2\n' }]))
  t.match(await retry(job.id), { status: 'failed', error: { code: 'NOT_FOUND', message: /not kept/ } })
  t.match(await projectsOf(built), [{ index_state: 'ready' }])
})

test('a real request streams its file, with any content type', async t => {
  const built = await buildApp(t)
  const url = await listen(t, built)
  const { bundle } = bundled(built)
  const file = join(built.root, 'sent.bundle')
  writeFileSync(file, bundle('--all'))
  const sent = await fetch(`${url}/projects/shop/upload?wait=60`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: readFileSync(file),
  })
  t.match(await sent.json(), { status: 'succeeded', result: { files_indexed: 5 } })
})

test('the document says that the body is a file', async t => {
  const { app } = await buildApp(t)
  const { paths } = (await app.inject('/docs/json')).json()
  const operation = paths['/projects/{name}/upload'].post
  t.match(operation.requestBody.content['application/gzip'].schema, { type: 'string', format: 'binary' })
  t.ok(operation.responses['413'].content['application/problem+json'])
})
