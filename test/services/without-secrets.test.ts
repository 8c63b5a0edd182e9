import { test } from 'tap'
import type { Callback } from '../../src/outbound/callbacks.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { cleanDelivery, withCleanOutput, withoutSecrets } from '../../src/services/without-secrets.ts'

test('a long text loses a secret that stands on the border of two pieces', async t => {
  const text = `${'x'.repeat(65_530)}\nDB_PASSWORD=swordfish\n${'y\n'.repeat(10)}`
  t.equal(await withoutSecrets(text), text.replace('swordfish', '[redacted:password]'))
  t.equal(await withoutSecrets('DB_PASSWORD=swordfish'), 'DB_PASSWORD=[redacted:password]')
})

test('what a program prints comes without secrets, while it runs and afterwards', async t => {
  const sandbox = {
    async run({ onOutput }: Parameters<Sandbox['run']>[0]) {
      onOutput?.('stdout', 'DB_PASSWORD=swo')
      onOutput?.('stderr', 'SMTP_PASSWORD=hunter22')
      onOutput?.('stdout', 'rdfish\n')
      return { stdout: 'DB_PASSWORD=swordfish\n', stderr: 'SMTP_PASSWORD=hunter22', exitCode: 0 }
    },
  } as unknown as Sandbox
  const printed: string[] = []
  const request = { argv: [], workspace: '', limits: {}, signal: new AbortController().signal }
  const { run } = withCleanOutput(sandbox)
  const result = await run({ ...request, onOutput: (stream, text) => printed.push(`${stream} ${text}`) })
  const expected = { stdout: 'DB_PASSWORD=[redacted:password]\n', stderr: 'SMTP_PASSWORD=[redacted:password]' }
  t.match(result, { ...expected, exitCode: 0 })
  t.same(printed, [`stdout ${expected.stdout}`, `stderr ${expected.stderr}`])
  t.match(await run(request), expected)
})

test('a long output is whole, so that a report of tests can be read from it', async t => {
  const stdout = `${'ok 1 - a\n'.repeat(20_000)}DB_PASSWORD=swordfish\n${'ok 2 - b\n'.repeat(20_000)}`
  const sandbox = { run: async () => ({ stdout, stderr: '' }) } as unknown as Sandbox
  const request = { argv: [], workspace: '', limits: {}, signal: new AbortController().signal }
  t.match(await withCleanOutput(sandbox).run(request), { stdout: stdout.replace('swordfish', '[redacted:password]') })
})

test('what is posted is the same JSON without secrets', async t => {
  const posted: string[] = []
  const deliver = cleanDelivery(async ({ body }: Callback) => {
    posted.push(body)
    return { delivered: true, status: 204, tries: 1 }
  })
  const { signal } = new AbortController()
  await deliver({ url: 'https://a/', id: '1', body: '{"result":["say \\"password=hunter22\\"\\n"]}', signal })
  t.same(posted, ['{"result":["say \\"password=[redacted:password]\\"\\n"]}'])
})
