import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test, type Test } from 'tap'
import { ENVIRONMENT } from '../../src/config.ts'
import { isSignedWebhook, type WebhookHeaders } from '../../src/core/webhook.ts'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const WHOLE = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8')
/** The part that is about the webhook; test/docs/ci-page.test.ts has the other. */
const PAGE = WHOLE.slice(WHOLE.indexOf('## Send the log'))
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)

const SECRETS = { base64: 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==', plain: 'a secret $HOME "of" \\some length' }
const KEYS = [Buffer.from('0123456789abcdef'), Buffer.from(SECRETS.plain)]

function has(program: string): boolean {
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const options = has('openssl') ? {} : { skip: 'openssl is not installed' }

/** The script of the page in a file, and a server that listens. */
async function setup(t: Test) {
  const built = await buildApp(t, {
    env: { WEBHOOK_SECRETS: `ci=${SECRETS.plain},ci=${SECRETS.base64}`, ALLOW_PRIVATE_HOSTS: 'true' },
  })
  const shop = await cloneShop(t, built)
  const url = await built.app.listen({ port: 0, host: '127.0.0.1' })
  const [script = ''] = blocks('bash')
  const file = join(built.root, 'faultline-ci.sh')
  writeFileSync(file, script)
  const logFile = join(built.root, 'test.log')
  async function run(log: string | Buffer | null, env: Record<string, string> = {}) {
    if (log === null) rmSync(logFile, { force: true })
    else writeFileSync(logFile, log)
    try {
      const { stdout } = await promisify(execFile)('bash', [file, logFile], {
        env: {
          PATH: process.env.PATH,
          HOME: built.root,
          TMPDIR: built.root,
          FAULTLINE_URL: url,
          FAULTLINE_PROJECT: 'shop',
          FAULTLINE_WEBHOOK_SECRET: SECRETS.base64,
          ...env,
        },
      })
      return { exitCode: 0, stdout, stderr: '' }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { exitCode: code, stdout, stderr }
    }
  }
  return { ...built, shop, url, run }
}

test('the script of docs/ci.md sends a log as it is, and its fault is found', options, async t => {
  const { run, services, shop } = await setup(t)
  const log =
    `\u001b[31mred\u001b[0m "quoted" back\\slash \\n\ttab\r\nümlaut 漢字 \u0000end\n${SHOP_TRACE}\n` +
    'last line without an end'
  for (const secret of Object.values(SECRETS)) {
    const { exitCode, stdout, stderr } = await run(log, {
      FAULTLINE_WEBHOOK_SECRET: secret,
      GITHUB_SHA: shop.git('rev-parse', 'main'),
    })
    t.equal(exitCode, 0, `${stdout}${stderr}`)
    const { id, trust } = JSON.parse(stdout) as { id: string; trust: string }
    t.equal(trust, 'untrusted')
    t.match(await services.jobs.input(id), {
      project_name: 'shop',
      commit: shop.git('rev-parse', 'main'),
      log: `${log.replaceAll('\u0000', '').replaceAll('\u001b', '')}\n`,
    })
    t.match(await services.jobs.settled(id, 60_000), {
      status: 'succeeded',
      result: [{ frames: [{ path: 'src/shop/cart.py' }, { path: 'src/shop/prices.py', codeLine: 6 }] }],
    })
  }
})

test('of a long log it sends the end, and bytes that are no text do not stop it', options, async t => {
  const { run, services } = await setup(t)
  const { exitCode, stdout } = await run(
    Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.alloc(9_000_000, 'step\n'), Buffer.from(SHOP_TRACE)]),
    { CI_COMMIT_SHA: 'f'.repeat(40) },
  )
  t.equal(exitCode, 0, stdout)
  const { log } = (await services.jobs.input(JSON.parse(stdout).id)) as { log: string }
  t.ok(log.length <= 8_000_001 && log.endsWith('division by zero\n'))
})

test('it fails with what the server says', options, async t => {
  const { run } = await setup(t)
  const wrong = await run('x', { FAULTLINE_WEBHOOK_SECRET: 'guessed' })
  t.equal(wrong.exitCode, 22)
  t.match(JSON.parse(wrong.stdout), { code: 'UNAUTHORIZED' })
  t.match(await run('x', { FAULTLINE_PROJECT: '' }), { exitCode: 1, stderr: /FAULTLINE_PROJECT/ })
})

test('a server named with a slash at the end is reached', options, async t => {
  const { run, url } = await setup(t)
  t.match(await run('x', { FAULTLINE_URL: `${url}/` }), { exitCode: 0 })
})

test('without a log it says so and sends nothing', options, async t => {
  const { run } = await setup(t)
  const { exitCode, stdout, stderr } = await run(null)
  t.equal(exitCode, 1)
  t.equal(stdout, '')
  t.match(stderr, /^There is no log .*test\.log: .*Nothing was sent\.\n$/)
})

test('with a callback the result comes there', options, async t => {
  const receiver = await startCallbackReceiver()
  t.teardown(() => receiver[Symbol.asyncDispose]())
  const { run } = await setup(t)
  const { stdout } = await run(SHOP_TRACE, { FAULTLINE_CALLBACK_URL: receiver.url })
  const { headers, body } = await receiver.waitFor(1)
  for (const key of KEYS) t.ok(isSignedWebhook(headers as unknown as WebhookHeaders, body, [key]))
  const [shape = ''] = blocks('json')
  t.same(Object.keys(JSON.parse(body.toString())), Object.keys(JSON.parse(shape)), 'as the page shows it')
  t.match(JSON.parse(body.toString()), {
    id: JSON.parse(stdout).id,
    status: 'succeeded',
    result: [{ frames: [{}, {}] }],
  })
})

test('the page names the script, its variables and the settings as they are', async t => {
  const [script = ''] = blocks('bash')
  const workflows = blocks('yaml')
  t.equal(workflows.length, 2)
  for (const workflow of workflows) {
    t.match(workflow, /bash faultline-ci\.sh test\.log/)
    for (const [, name = ''] of workflow.matchAll(/(FAULTLINE_\w+):/g)) t.ok(script.includes(name), name)
  }
  for (const [, name = ''] of PAGE.matchAll(/`(WEBHOOK_SECRETS|ALLOW[A-Z_]+)\b/g)) {
    t.ok(name in ENVIRONMENT.properties, name)
  }
})
