import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { t as file, test, type Test } from 'tap'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aiderArgv, aiderModel, fatalLine, toolsOf } from '../../../src/pipelines/feature/coder/aider.ts'
import { installAider } from '../../fakes/aider.ts'
import type { Reply } from '../../fakes/model-server.ts'
import {
  FEATURE_FILES,
  PLAN,
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

file.setTimeout(600_000)

const KEY = 'sk-the-real-key-of-the-server-0123456789'
const SCHEMA_PATH = 'src/dynamic/schema/characters.ts'

const does = (what: object): Reply => ({ text: JSON.stringify(what) })
const edits = (files: Record<string, string>): Reply => does({ files })

async function build(t: Test, chat: Reply[], files = FEATURE_FILES): Promise<ProjectWithModel> {
  const bin = installAider(openFolder(t))
  return buildProject(t, files, chat, {
    env: { AIDER_BIN: bin, LLM_API_KEY: KEY, MODEL_PRICES: '{"scripted": {"input": 1, "output": 1}}' },
  })
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
  const { llm_calls: calls, prompt_tokens: prompt, completion_tokens: completion, usd } = job.usage
  t.equal(calls, 4, 'its calls are counted')
  t.equal(usd.toFixed(9), ((prompt + completion) / 1e6).toFixed(9), 'with their price')
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

test('aider sees what it may change and is to read, and no file of secrets', inJail, async t => {
  const helper = "export const pad = (text: string): string => text + ' '\n"
  const files = { ...FEATURE_FILES, '.env': 'TOKEN=1\n', 'src/dynamic/pad.ts': helper, 'certs/own.pem': 'x\n' }
  const project = await build(
    t,
    [
      planned(),
      does({ files: { [SCHEMA_PATH]: SCHEMA }, list: true }),
      does({ files: { [TOOL_PATH]: TOOL }, gone: ['src/dynamic/pad.ts'] }),
      edits({ [TEST_PATH]: TESTS }),
    ],
    files,
  )
  const job = await run(project)
  t.match(job, { status: 'waiting' }, JSON.stringify(job.error))
  const seen = /sees [^"\\]*/.exec((await project.app.inject(`/jobs/${job.id}/transcript`)).body)?.[0] ?? ''
  t.match(seen, 'src/dynamic/pad.ts')
  for (const path of ['.env', 'certs', 'package.json', 'src/main.ts']) t.notMatch(seen, path)
  t.match(job.request.diff, /deleted file mode 100644[\s\S]*src\/dynamic\/pad\.ts/, 'a file that it deletes is gone')
})

test('links, bytes and placeholders that aider leaves are told, and nothing of them is taken', inJail, async t => {
  const secret = 'AKIAQ3EGLAQ7JX4KXKWN'
  const files = { ...FEATURE_FILES, 'src/dynamic/keys.ts': `export const key = '${secret}'\n` }
  for (const [what, why] of [
    [{ links: { [SCHEMA_PATH]: '/etc/passwd' } }, /schema\/characters\.ts cannot be taken: link/],
    [{ bytes: { 'src/dynamic/a.bin': [0, 1, 2] } }, /src\/dynamic\/a\.bin is no text/],
    [
      { files: { 'src/dynamic/keys.ts': "export const key = '[redacted:aws-key]'\n" } },
      /keys\.ts would get a placeholder/,
    ],
    [{ gone: ['src/dynamic/keys.ts'], files: { 'src/keys.ts': 'x\n' } }, /src\/keys\.ts is outside/],
  ] as const) {
    const project = await build(t, [planned(), does(what), does(what)], files)
    t.match(await run(project), { status: 'failed', error: { code: 'OUT_OF_SCOPE', message: why } })
  }
})

test('secrets that are taken out of what aider sends are counted with the job', inJail, async t => {
  const [tool] = PLAN.tools
  const tools = [{ ...tool, description: 'Adds a character with AKIAQ3EGLAQ7JX4KXKWN' }]
  const project = await build(t, [
    planned({ ...PLAN, tools }),
    edits({ [SCHEMA_PATH]: SCHEMA }),
    edits({ [TOOL_PATH]: TOOL }),
    edits({ [TEST_PATH]: TESTS }),
  ])
  const job = await run(project)
  t.match(job, { status: 'waiting' }, JSON.stringify(job.error))
  const sent = [1, 2, 3].map(call => JSON.stringify(project.sent(call))).join('')
  t.notMatch(sent, /AKIAQ3EGLAQ7JX4KXKWN/)
  t.equal(job.redactions, sent.split('[redacted:aws-key]').length - 1)
  t.ok(job.redactions > 0)
})

test('the jail gets the environment of aider, and nothing that lies beside it', t => {
  const home = openFolder(t)
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'aider'), '#!/bin/sh\n')
  chmodSync(join(home, 'bin', 'aider'), 0o755)
  t.same(toolsOf(join(home, 'bin', 'aider')), [join(home, 'bin', 'aider')], 'not the home folder')

  const venv = join(home, 'venv')
  const python = join(home, 'python')
  for (const folder of [join(venv, 'bin'), join(python, 'bin'), join(python, 'lib', 'python3.12')]) {
    mkdirSync(folder, { recursive: true })
  }
  writeFileSync(join(venv, 'pyvenv.cfg'), '')
  writeFileSync(join(venv, 'bin', 'aider'), '')
  writeFileSync(join(python, 'bin', 'python3.12'), '')
  writeFileSync(join(python, 'lib', 'python3.12', 'os.py'), '')
  symlinkSync(join(python, 'bin', 'python3.12'), join(venv, 'bin', 'python'))
  symlinkSync(join(venv, 'bin', 'aider'), join(home, 'aider'))
  t.same(toolsOf(join(home, 'aider')).sort(), [join(home, 'aider'), python, venv, join(venv, 'bin', 'aider')].sort())
  t.end()
})

test('the model is always one of the server that the proxy leads to', t => {
  const names = { model: null, configuredModel: 'anthropic/claude' }
  t.equal(aiderModel(undefined, names), 'openai/anthropic/claude')
  t.equal(aiderModel('openai/gpt', names), 'openai/openai/gpt', 'the model of the request, as the server names it')
  t.equal(aiderModel(undefined, { ...names, model: 'openrouter/anthropic/claude' }), 'openai/anthropic/claude')
  t.equal(aiderModel(undefined, { ...names, model: 'openai/gpt' }), 'openai/gpt')
  t.end()
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
  const dashed = { model: 'x', instruction: '--model=other', files: [], readOnlyFiles: ['-r'] }
  t.same(aiderArgv('/opt/aider', dashed).slice(6, 8), ['--message-file', '.aider.message.txt'], 'no option of its own')
  t.same(aiderArgv('/opt/aider', dashed).slice(-2), ['--read', './-r'])
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
