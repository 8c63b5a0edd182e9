import { generateKeyPairSync, verify } from 'node:crypto'
import { test, type Test } from 'tap'
import { appToken, createCheckRuns } from '../../src/forges/check-runs.ts'
import { SIGNAL } from '../helpers/forge-client.ts'
import { startForgeServer } from '../helpers/forge-server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const COMMIT = 'c'.repeat(40)

const annotation = (line: number) => ({
  path: 'a.py',
  startLine: line,
  endLine: line,
  level: 'failure' as const,
  title: 'ZeroDivisionError',
  message: 'Raised here.',
})
const run = {
  commit: COMMIT,
  externalId: 'job-1',
  title: 'ZeroDivisionError',
  summary: '## It',
  annotations: [annotation(1)],
}

async function checksOf(t: Test) {
  const server = await startForgeServer(t, 'github')
  const checks = createCheckRuns(
    { host: 'git.example.com', apiUrl: server.apiUrl },
    { path: 'acme/shop', app: { id: '12', key: privateKey } },
    { allowPrivateHosts: true, delaysMs: [1] },
  )
  return { server, checks }
}

test('an App says who it is with a token that its key signed and that soon ends', async t => {
  const [header = '', claims = '', signature = ''] = appToken({ id: '12', key: privateKey }, 1_000_000_000_000).split(
    '.',
  )
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown
  t.same(read(header), { alg: 'RS256', typ: 'JWT' })
  t.same(read(claims), { iss: '12', iat: 999_999_940, exp: 1_000_000_540 })
  t.ok(verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
})

test('a check run has its annotations in batches of 50, and one for each job', async t => {
  const { server, checks } = await checksOf(t)
  const annotations = Array.from({ length: 120 }, (_, at) => annotation(at + 1))
  t.equal(await checks.write({ ...run, annotations }, SIGNAL), `${server.url}/acme/shop/runs/1`)
  t.equal(await checks.write({ ...run, annotations }, SIGNAL), `${server.url}/acme/shop/runs/1`)
  t.match(server.state.checkRuns, [{ externalId: 'job-1', commit: COMMIT, conclusion: 'neutral', summary: '## It' }])
  t.equal(server.state.checkRuns.length, 1)
  t.same(
    server.state.checkRuns[0]?.annotations.map(({ start_line: line }) => line),
    annotations.map(({ startLine }) => startLine),
    'each once',
  )
  t.same(server.violations, [])
  const [jwt, , list] = server.calls
  t.match(jwt?.headers.authorization, /^Bearer eyJ/)
  t.equal(list?.headers.authorization, 'Bearer ghs_of-the-installation')
  await checks.write({ ...run, externalId: 'job-2' }, SIGNAL)
  t.equal(server.state.checkRuns.length, 2)
})

test('what was cut off between two batches goes on where it was', async t => {
  const { server, checks } = await checksOf(t)
  const annotations = Array.from({ length: 120 }, (_, at) => annotation(at + 1))
  server.script.push({ to: /^PATCH/, status: 401 })
  await t.rejects(checks.write({ ...run, annotations }, SIGNAL), { code: 'FORGE_REFUSED' })
  t.equal(server.state.checkRuns[0]?.annotations.length, 50)
  await checks.write({ ...run, annotations }, SIGNAL)
  t.equal(server.state.checkRuns.length, 1)
  t.equal(server.state.checkRuns[0]?.annotations.length, 120)
})

test('an App that is not installed is told', async t => {
  const { server, checks } = await checksOf(t)
  server.script.push({ to: /installation$/, status: 404 })
  await t.rejects(checks.write(run, SIGNAL), { code: 'FORGE_REFUSED', message: /show where the App is installed/ })
  t.equal(server.state.checkRuns.length, 0)
})
