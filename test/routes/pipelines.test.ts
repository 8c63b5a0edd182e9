import { test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'

const MIB = 1024 * 1024
const ofSize = (bytes: number) => 'x'.repeat(bytes)

test('a pipeline takes bodies of 32 MiB, since files travel in them; a trace may have 10 MiB of 16', async t => {
  const { app } = await buildApp(t)
  const ask = async (url: string, body: object) => {
    const res = await app.inject({ method: 'POST', url, body })
    return `${res.statusCode} ${res.json().code} ${res.json().detail}`
  }
  const files = [{ path: 'a.txt', content: ofSize(31 * MIB) }]
  t.match(await ask('/generate', { prompt: '', files }), /^400 VALIDATION_FAILED /, 'it is read, and then refused')
  t.match(await ask('/generate', { prompt: ofSize(32 * MIB) }), /^413 PAYLOAD_TOO_LARGE /)

  const fix = (stacktrace: string, more: object = {}) => ask('/fix', { project_name: 'nope', stacktrace, ...more })
  t.match(await fix(ofSize(10 * MIB)), /^404 PROJECT_NOT_FOUND /)
  t.match(await fix(ofSize(10 * MIB + 1)), /^413 PAYLOAD_TOO_LARGE The stack trace has more than 10 MiB/)
  t.match(await fix('x', { more: ofSize(15 * MIB) }), /^400 VALIDATION_FAILED /)
  t.match(await fix('x', { more: ofSize(16 * MIB) }), /^413 PAYLOAD_TOO_LARGE (?!The stack trace)/)
})

test('a dry run answers at once, without a model and without a job; what is none needs both', async t => {
  const { app } = await buildApp(t)
  const ask = (body: object) => app.inject({ method: 'POST', url: '/generate', body: { prompt: 'a game', ...body } })
  const dry = await ask({ dry_run: true })
  t.equal(dry.statusCode, 200)
  t.match(dry.json(), { messages: [{}] })
  t.same((await app.inject('/jobs')).json().data, [])
  const made = await ask({ dry_run: false })
  t.match(made.json(), { status: 503, code: 'LLM_NOT_CONFIGURED' })
})
