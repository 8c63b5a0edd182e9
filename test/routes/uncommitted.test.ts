import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { cloneInto } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const COMMITTED = 'def average(items):\n    return sum(items) / len(items)\n'
const ON_DISK = `import math\n\n\n${COMMITTED}`
const diffAt = (line: number, before: string): string =>
  `--- a/prices.py\n+++ b/prices.py\n@@ -${line},2 +${line},4 @@\n${before}` +
  '+    if not items:\n+        return 0\n     return sum(items) / len(items)\n'
const traceAt = (line: number): string =>
  `Traceback (most recent call last):\n  File "/srv/app/prices.py", line ${line}, in average\n` +
  '    return sum(items) / len(items)\nZeroDivisionError: division by zero\n'

/** A server with a scripted model, and a repository on its machine that has changes which are not committed. */
async function setUp(t: Test, replies: string[]) {
  const built = await buildWithModel(
    t,
    replies.map(diff => ({ text: `\`\`\`diff\n${diff}\`\`\`\n` })),
  )
  const shop = createGitRepository(join(built.reposDir, 'shop'), { files: { 'prices.py': COMMITTED }, worktree: true })
  const write = (text: string) => writeFileSync(join(shop.dir, 'prices.py'), text)
  write(ON_DISK)
  const clone = (more: object = { uncommitted: true }) =>
    cloneInto(t, built, { url: shop.dir, project_name: 'shop', ...more })
  const resolve = async (line: number, more: object = {}) => {
    const body = { stacktrace: traceAt(line), project_name: 'shop', ...more }
    return (await built.app.inject({ method: 'POST', url: '/resolve', body })).json()
  }
  return { ...built, shop, write, clone, resolve }
}

test('a patch fits the files as they are on the disk', async t => {
  const { shop, clone, resolve } = await setUp(t, [diffAt(4, ' def average(items):\n')])
  t.match(await clone(), { result: { commit: shop.git('rev-parse', 'HEAD'), uncommitted_files: 1 } })
  const { answer, uncommitted_files: files } = await resolve(5)
  t.equal(files, 1)
  t.equal(answer.patch_status, 'applies')
  execFileSync('git', ['apply', '-'], { cwd: shop.dir, input: answer.patch })
  t.match(
    readFileSync(join(shop.dir, 'prices.py'), 'utf8'),
    /^import math\n\n\ndef average\(items\):\n {4}if not items:/,
  )
})

test('an answer is kept for the files that it was about alone', async t => {
  const { clone, write, resolve, model } = await setUp(t, ['', '', ''])
  const asked = async () => (await resolve(5)).cached ?? false
  await clone()
  t.strictSame([await asked(), await asked()], [false, true])
  write(`${ON_DISK}\n# more\n`)
  await clone()
  t.equal(await asked(), false, 'another file on the same commit is another question')
  await clone({})
  t.equal(await asked(), false, 'and so is the commit itself')
  t.equal(model.requests.length, 3)
})

test('a fix of such a project is made to its commit', async t => {
  const { app, shop, clone } = await setUp(t, [diffAt(1, ' def average(items):\n')])
  await clone()
  const body = { stacktrace: traceAt(2), project_name: 'shop', review: 'auto' }
  const job = (await app.inject({ method: 'POST', url: '/fix?wait=60', body })).json()
  t.match(
    job,
    { status: 'succeeded', result: { base_commit: shop.git('rev-parse', 'HEAD') } },
    JSON.stringify(job.error),
  )
  t.match(job.result.diff, /@@ -1,2 \+1,4 @@/)
  t.equal(readFileSync(join(shop.dir, 'prices.py'), 'utf8'), ON_DISK, 'what is on the disk stays')
})

test('a project says what was read of it', async t => {
  const { app, clone } = await setUp(t, [])
  await clone()
  t.match((await app.inject('/projects/shop')).json(), { repositories: [{ uncommitted_files: 1 }] })
  await clone({})
  const { repositories } = (await app.inject('/projects/shop')).json()
  t.equal(repositories[0].uncommitted_files, undefined)
})

test('only a local repository has files that are not committed', async t => {
  const { app } = await setUp(t, [])
  const body = { url: 'https://1.1.1.1/a/b', uncommitted: true }
  const answer = await app.inject({ method: 'POST', url: '/clone', body })
  t.match({ status: answer.statusCode, ...answer.json() }, { status: 400, code: 'VALIDATION_FAILED' })
})
