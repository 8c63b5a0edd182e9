import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { test, type Test } from 'tap'
import { demoExcerpt } from '../scripts/pages/demo-excerpt.ts'
import { excerptIn } from '../scripts/pages/readme-demo.ts'
import { startModelServer } from './fakes/model-server.ts'
import { testFolder } from './helpers/test-folder.ts'
import { CHILD_ENV } from './helpers/child-env.ts'

const README = fileURLToPath(new URL('../README.md', import.meta.url))
const DEMO = fileURLToPath(new URL('../scripts/demo.ts', import.meta.url))

async function runDemo(t: Test, env: Record<string, string> = {}) {
  const TMPDIR = testFolder(t)
  const child = spawn(process.execPath, [DEMO], {
    env: { ...CHILD_ENV, HOME: TMPDIR, TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, exitCode, left: readdirSync(TMPDIR) }
}

test('the demo resolves a real crash, explains it with a model and leaves nothing behind', async t => {
  const model = await startModelServer({ chat: [{ text: '## Cause\n\nCodes are compared with their case.\n' }] })
  t.teardown(model.close)
  const { stdout, stderr, exitCode, left } = await runDemo(t, {
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    API_KEYS: `me:${'k'.repeat(24)}`,
  })
  t.equal(exitCode, 0, stderr)
  t.match(
    stdout,
    /\n {2}TypeError: Cannot read properties of undefined \(reading 'category'\)\n {6}at discountOn \(file:\/\/.*\/deploy\/shop\/src\/discounts\.js:13:26\)\n/,
  )
  t.match(
    stdout,
    /> {2}src\/main\.js:8 [^]*> {2}src\/checkout\.js:12 [^]*> {2}src\/cart\.js:30 [^]*> {2}src\/pricing\.js:10 [^]*> {2}src\/discounts\.js:13 /,
    'the frames lie in files of the repository, the failing one last',
  )
  t.match(stdout, /\n>>> {2}13 \| {3}const applies = coupon\.category/)
  t.match(stdout, /Codes are compared with their case\./)
  t.match(
    stdout,
    /curl -s 'http:\/\/127\.0\.0\.1:\d+\/resolve\?project_name=shop' -H 'Authorization: Bearer [0-9a-f]+'/,
  )
  t.match(stdout, /Where to go next/)
  t.strictSame(
    left.filter(name => name.startsWith('faultline-demo-')),
    [],
  )
})

test('the README shows what the demo prints, but for folders, ports, commits and days', async t => {
  const { stdout, stderr, exitCode } = await runDemo(t)
  t.equal(exitCode, 0, stderr)
  t.equal(excerptIn(readFileSync(README, 'utf8')), demoExcerpt(stdout), 'run npm run pages')
})

test('a demo that fails says at what', async t => {
  const { stdout, stderr, exitCode, left } = await runDemo(t, { PATH: '/nonexistent' })
  t.equal(exitCode, 1)
  t.match(stderr, /The demo failed in step 1: git is not installed/)
  t.notMatch(stdout, /Where to go next/)
  t.strictSame(left, [])
})
