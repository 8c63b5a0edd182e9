import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { t as file, test, type Test } from 'tap'
import { aiderArgv, fatalLine } from '../../../src/pipelines/feature/coder/aider.ts'
import { installAider } from '../../fakes/aider.ts'
import type { Reply } from '../../fakes/model-server.ts'
import {
  FEATURE_FILES,
  planned,
  REQUEST,
  SCHEMA,
  TEST_PATH,
  TESTS,
  TOOL,
  TOOL_PATH,
} from '../../helpers/feature-project.ts'
import { buildProject, type ProjectWithModel } from '../../helpers/project-with-model.ts'
import { inJail, openFolder } from '../../helpers/sandbox.ts'

file.setTimeout(240_000)

const KEY = 'sk-the-real-key-of-the-server-0123456789'
const SCHEMA_PATH = 'src/dynamic/schema/characters.ts'

const does = (what: object): Reply => ({ text: JSON.stringify(what) })
const edits = (files: Record<string, string>): Reply => does({ files })

async function build(t: Test, chat: Reply[]): Promise<ProjectWithModel> {
  const bin = installAider(openFolder(t))
  return buildProject(t, FEATURE_FILES, chat, { env: { AIDER_BIN: bin, LLM_API_KEY: KEY } })
}

async function run({ app }: ProjectWithModel, body: object = {}) {
  const request = { request: REQUEST, project_name: 'shop', coder: 'aider', ...body }
  const { id } = (await app.inject({ method: 'POST', url: '/features', body: request })).json()
  for (let waits = 0; waits < 3; waits++) {
    const job = (await app.inject(`/jobs/${id}?wait=60`)).json()
    if (job.status !== 'queued' && job.status !== 'running') return job
  }
  throw new Error('the feature did not get there')
}

test('aider writes a feature in the jail, with the model server alone in reach and no key', inJail, async t => {
  const other = createServer((_request, response) => response.end('secret'))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const project = await build(t, [
    planned(),
    does({ files: { [SCHEMA_PATH]: SCHEMA }, reach: `http://127.0.0.1:${port}/` }),
    edits({ [TOOL_PATH]: TOOL }),
    edits({ [TEST_PATH]: TESTS }),
  ])
  const job = await run(project)
  t.match(job, { status: 'waiting', request: { kind: 'approve_delivery' } }, JSON.stringify(job.error))
  t.match(job.request.diff, /add_character/)
  t.equal(project.model.requests.length, 4)
  t.match(project.model.requests[1]?.headers, { authorization: `Bearer ${KEY}` }, 'the proxy puts the key in')
  t.match(
    project.sent(2)[0]?.content,
    /Implement the tool add_character[\s\S]*reading src\/dynamic\/schema\/characters\.ts/,
  )
  const transcript = (await project.app.inject(`/jobs/${job.id}/transcript`)).body
  t.match(transcript, /reached nothing/)
  t.notMatch(transcript, KEY)
  t.ok(job.usage.llm_calls >= 4, 'its calls are counted')
})

test('an exit code of 0 after an error of the API is no success, and the same twice ends it', inJail, async t => {
  const failing = does({ print: 'litellm.AuthenticationError: AuthenticationError: OpenAIException - bad key' })
  const project = await build(t, [planned(), ...Array.from({ length: 8 }, () => failing)])
  const job = await run(project)
  t.match(job, { status: 'failed', error: { code: 'FEATURE_FAILED', message: /aider could not work: litellm/ } })
})

test('what aider changes outside of the allowed paths is told once, and then ends it', inJail, async t => {
  const outside = edits({ 'src/main.ts': 'export const stories = [1]\n' })
  const project = await build(t, [planned(), outside, outside])
  t.match(await run(project), { status: 'failed', error: { code: 'OUT_OF_SCOPE', message: /src\/main\.ts/ } })
  t.match(project.sent(2)[0]?.content, /Previous attempt failed with error:[\s\S]*src\/main\.ts is outside/)
})

test('a run that changes nothing, or ends with another code, is told to the next', inJail, async t => {
  const project = await build(t, [
    planned(),
    does({ print: 'I would rather not.' }),
    does({ exit: 3 }),
    edits({ [SCHEMA_PATH]: SCHEMA }),
    edits({ [TOOL_PATH]: TOOL }),
    edits({ [TEST_PATH]: TESTS }),
  ])
  t.match(await run(project), { status: 'waiting' })
  t.match(project.sent(2)[0]?.content, /aider changed no file/)
  t.match(project.sent(3)[0]?.content, /exit code 3/)
})

test('without AIDER_BIN a feature by aider is refused before any work', async t => {
  const project = await buildProject(t, FEATURE_FILES, [])
  const body = { request: REQUEST, project_name: 'shop', coder: 'aider' }
  const refused = await project.app.inject({ method: 'POST', url: '/features', body })
  t.match(refused.json(), { status: 400, code: 'VALIDATION_FAILED', fix: /AIDER_BIN/ })
})

test("aider gets the seed's flags, each file to read by a flag of its own, and a long text by a file", t => {
  const argv = aiderArgv('/opt/aider', {
    model: 'openai/x',
    instruction: 'Do it',
    files: ['a', '-b'],
    readOnlyFiles: ['c', 'd'],
  })
  t.same(argv.slice(0, 8), [
    ...['/opt/aider', '--yes-always', '--model', 'openai/x', '--no-git', '--no-auto-commits', '--message', 'Do it'],
  ])
  t.same(argv.slice(-6), ['a', './-b', '--read', 'c', '--read', 'd'])
  const long = aiderArgv('/opt/aider', { model: 'x', instruction: 'x'.repeat(200_000), files: [], readOnlyFiles: [] })
  t.ok(long.includes('--message-file'))
  t.ok(long.every(part => part.length < 1000))
  t.end()
})

test('lines by which aider says that it could not work', t => {
  for (const line of [
    'litellm.RateLimitError: slow down',
    'Traceback (most recent call last):',
    'Error: no such file',
  ]) {
    t.equal(fatalLine(`Aider v0.86.1\n${line}\nbye`), line)
  }
  t.equal(fatalLine('Applied edit to src/error.ts\nTokens: 2k sent. An Error is handled.'), null)
  t.end()
})

test('what aider prints is read in a time that grows with its length alone', t => {
  const pieces = ['Model ', 'litellm.', 'litellm.a', 'The API provider ', 'Only 1 reflections ', 'Error', 'Unknown ']
  for (const piece of pieces) {
    for (const between of ['', '\n']) {
      const started = performance.now()
      fatalLine(`${piece}${between}`.repeat(1_000_000 / piece.length))
      const ms = performance.now() - started
      t.ok(ms < 2_000, `${JSON.stringify(piece + between)}: ${ms} ms`)
    }
  }
  t.equal(fatalLine('x\nModel openai/gpt-4o has hit a token limit!\ny'), 'Model openai/gpt-4o has hit a token limit!')
  t.end()
})
