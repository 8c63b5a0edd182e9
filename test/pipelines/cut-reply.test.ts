import { test, type Test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { buildWithModel, type AppWithModel } from '../helpers/build-with-model.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'
import { call, until } from './job-over-http.ts'

const F = '```'
const SCRIPT: Reply = { text: `${F}\npython3 main.py\n${F}\n` }
const GREET = 'def hello():\n    return "Hello"\n'
const MAIN = 'from greet import hello\n\nprint(hello())\n'
const CODE = `Two files.\n\ngreet.py\n${F}python\n${GREET}${F}\n\nmain.py\n${F}python\n${MAIN}${F}\n`
const PROGRAM = { 'greet.py': GREET, 'main.py': MAIN, 'run.sh': 'python3 main.py\n' }

const cut = (text: string, more: Partial<Reply> = { finishReason: 'length' }): Reply => ({ text, ...more })

async function filesOf({ app }: AppWithModel, id: string): Promise<Record<string, string>> {
  const { data } = (await app.inject(`/jobs/${id}/files`)).json() as { data: Array<{ path: string }> }
  const texts: Record<string, string> = {}
  for (const { path } of data) texts[path] = (await app.inject(`/jobs/${id}/files/${path}`)).body
  return texts
}

async function kindsOf({ app }: AppWithModel, id: string): Promise<string[]> {
  const { data } = (await app.inject(`/jobs/${id}/transcript`)).json() as {
    data: Array<{ kind: string; step: string | null }>
  }
  return data.map(({ kind, step }) => `${step} ${kind}`)
}

/** Pieces of the reply, cut at these places. */
const pieces = (text: string, ...places: number[]): string[] =>
  [0, ...places].map((from, i) => text.slice(from, places[i]))

async function generate(t: Test, chat: Reply[]) {
  const built = await buildWithModel(t, chat)
  const job = (await built.post('/generate', { prompt: 'Say hello', execute: 'never' })).json()
  return { ...built, job, files: await filesOf(built, job.id), kinds: await kindsOf(built, job.id) }
}

test('generate goes on with a reply that was cut, behind a closed fence too, up to three times', async t => {
  const behindFence = CODE.indexOf('\n\nmain.py')
  const [a = '', b = ''] = pieces(CODE, behindFence)
  const [c = '', d = '', e = '', f = ''] = pieces(CODE, 20, behindFence - 20, behindFence + 30)
  const cases: Array<[name: string, chat: Reply[]]> = [
    ['behind a closed fence', [cut(a), { text: b }]],
    ['a stream without a finish_reason', [{ text: a, noFinish: true }, { text: b }]],
    ['three times', [cut(c), cut(d), cut(e), { text: f }]],
    ['a word that nobody knows', [cut(a, { finishReason: 'paused' }), { text: b }]],
    ['the line end between the pieces got lost', [cut(a), { text: b.trimStart() }]],
    ['the last lines come twice', [cut(a), { text: a.slice(a.indexOf('def')) + b }]],
  ]
  for (const [name, chat] of cases) {
    const { job, files, kinds, sent, model } = await generate(t, [...chat, SCRIPT])
    t.match(job, { status: 'succeeded', error: null, usage: { llm_calls: chat.length + 1 } }, name)
    t.same(files, PROGRAM, name)
    t.equal(model.requests.length, chat.length + 1)
    const roles = sent(1).map(({ role }) => role)
    t.same(roles, ['system', 'user', 'assistant', 'user'], 'its own text, and the request to go on')
    t.equal(sent(1)[2]?.content, chat[0]?.text)
    t.match(sent(1)[3]?.content, /Go on exactly where it stops/)
    t.same(
      kinds.slice(1, 5),
      ['gen_code messages', 'gen_code reply', 'gen_code.continue messages', 'gen_code.continue reply'],
      'each is in the transcript',
    )
  }
})

test('generate fails where going on does not help; what was whole is kept, the last block is not', async t => {
  const open = `greet.py\n${F}python\n${GREET}${F}\n\nmain.py\n${F}python\nfrom greet `
  const closed = `greet.py\n${F}python\n${GREET}${F}\n\nmain.py\n${F}python\nfrom greet import hello\n${F}\n`
  for (const text of [open, closed]) {
    const rest = cut('import\n')
    const { job, files, model } = await generate(t, [cut(text.slice(0, 70)), cut(text.slice(70)), rest, rest])
    t.match(job, {
      status: 'failed',
      result: null,
      error: { code: 'REPLY_TRUNCATED', message: /output limit.*3 times/, fix: /LLM_MAX_OUTPUT_TOKENS/ },
    })
    if (text === open) t.same(files, { 'greet.py': GREET })
    t.equal(model.requests.length, 4)
  }
})

test('a block that ends where a reply was cut may lack lines and is not used', async t => {
  const broken = { status: 500, body: { error: { message: 'overloaded' } } }
  const { job, files } = await generate(t, [cut(CODE.trimEnd()), broken, broken, broken])
  t.match(
    job,
    { status: 'failed', error: { code: 'LLM_UNAVAILABLE', message: /overloaded/ } },
    'the rest is not to be had',
  )
  t.same(files, { 'greet.py': GREET })
})

test('a filtered reply is not gone on with; what was whole before is kept', async t => {
  const filter = { finishReason: 'content_filter' }
  for (const text of [`greet.py\n${F}python\n${GREET}${F}\n\nAnd`, '']) {
    const { job, files, model } = await generate(t, [cut(text, filter)])
    t.match(job, { status: 'failed', error: { code: 'REPLY_FILTERED', message: /content_filter/ } })
    t.same(files, text === '' ? {} : { 'greet.py': GREET })
    t.equal(model.requests.length, 1)
  }
  const { job } = await generate(t, [cut(CODE.slice(0, 60)), cut('more', filter)])
  t.match(job, { error: { code: 'REPLY_FILTERED' } }, 'its rest was filtered')
})

test('a script that was cut is no script; the program stays', async t => {
  const piece = cut(`${F}\npython3 main.py\n`)
  const { job, files } = await generate(t, [{ text: CODE }, piece, cut('# 1\n'), cut('# 2\n'), cut('# 3\n')])
  t.match(job, { status: 'failed', error: { code: 'REPLY_TRUNCATED', step: 'gen_entrypoint.continue:2' } })
  t.same(files, { 'greet.py': GREET, 'main.py': MAIN })
  const whole = await generate(t, [{ text: CODE }, piece, { text: `${F}\n` }])
  t.match(whole.job, { status: 'succeeded' })
  t.same(whole.files, PROGRAM)
})

test('a question that was cut is gone on with, and never asked in part', async t => {
  const built = await buildWithModel(t, [
    cut('Which co'),
    { text: 'lour?' },
    cut('Which', { finishReason: 'content_filter' }),
  ])
  const body = { prompt: 'A button', mode: 'clarified' }
  t.match((await built.post('/generate', body)).json(), { request: { question: 'Which colour?' } })
  t.match((await built.post('/generate', body)).json(), { status: 'failed', error: { code: 'REPLY_FILTERED' } })
})

test('the budget holds for going on, too', async t => {
  const [a = '', b = ''] = pieces(CODE, 70)
  const built = await buildWithModel(t, [cut(a), { text: b }, SCRIPT, cut(CODE.trimEnd())])
  const body = { prompt: 'Say hello', execute: 'never', budget: { tokens: 10 } }
  const first = (await built.post('/generate', body)).json()
  t.match(first, { status: 'waiting', request: { kind: 'budget' } })
  const raised = (await built.reply(first.id, { budget: { tokens: 1_000_000 } })).json()
  t.match(raised, { status: 'succeeded' })
  t.same(await filesOf(built, first.id), PROGRAM)
  const second = (await built.post('/generate', body)).json()
  t.match((await built.reply(second.id, { skip: true })).json(), {
    status: 'failed',
    error: { code: 'BUDGET_EXHAUSTED' },
  })
  t.same(await filesOf(built, second.id), { 'greet.py': GREET }, 'what was whole is kept')
  t.equal(built.model.requests.length, 4)
})

const FILES = { 'a.py': 'one = 1\ntwo = 2\nthree = 3\n', 'b.py': 'four = 4\nfive = 5\n' }
const DIFF =
  `I change both.\n\n${F}diff\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one = 1\n-two = 2\n+two = 22\n three = 3\n${F}\n\n` +
  `${F}diff\n--- a/b.py\n+++ b/b.py\n@@ -1,2 +1,2 @@\n four = 4\n-five = 5\n+five = 55\n${F}\n`
const CHANGED = { 'a.py': 'one = 1\ntwo = 22\nthree = 3\n', 'b.py': 'four = 4\nfive = 55\n' }

test('improve goes on with a cut reply, wherever it was cut', async t => {
  for (const at of [30, 90, DIFF.indexOf(`\n\n${F}diff\n--- a/b.py`), DIFF.indexOf('+five'), DIFF.length - 4]) {
    const [a = '', b = ''] = pieces(DIFF, at)
    const built = await buildWithModel(t, [cut(a), { text: b }])
    const job = (await built.post('/improve', { prompt: 'More', files: FILES, review: 'auto' })).json()
    t.match(job, { status: 'succeeded', result: { complete: true, rejected_hunks: [], refinements: 0 } }, `${at}`)
    t.same(await filesOf(built, job.id), CHANGED, `${at}`)
  }
})

test('improve fails where going on does not help: the whole part is in its diff, nothing is refined', async t => {
  const behind = DIFF.indexOf(`\n\n${F}diff\n--- a/b.py`)
  const bare = DIFF.replaceAll(`${F}diff\n`, '').replaceAll(`${F}\n`, '')
  for (const [text, end] of [
    [DIFF, behind + 6],
    [DIFF, DIFF.length - 1],
    [bare, bare.length - 1],
  ] as const) {
    const refused = { status: 401, body: { error: { message: 'no more' } } }
    const built = await buildWithModel(t, [cut(text.slice(0, end)), refused])
    const body = { prompt: 'More', files: FILES, review: 'auto', allow_partial: true }
    const job = (await built.post('/improve', body)).json()
    t.match(job, { status: 'failed', result: null, error: { code: 'LLM_REJECTED' } })
    const diff = (await built.app.inject(`/jobs/${job.id}/diff`)).body
    t.match(diff, /\+two = 22/)
    t.notMatch(diff, /five/, 'the last block is not used')
    t.equal(built.model.requests.length, 2)
  }
  const built = await buildWithModel(t, [cut(DIFF.slice(0, behind + 6)), ...[1, 2, 3].map(() => cut('d'))])
  const job = (await built.post('/improve', { prompt: 'More', files: FILES, review: 'auto' })).json()
  t.match(job, { status: 'failed', error: { code: 'REPLY_TRUNCATED' } })
})

test('a rest that no model has room for is a cut reply', async t => {
  const built = await buildWithModel(t, [cut(`a.py\n${F}\n${'x = 1\n'.repeat(2000)}`)], {
    env: { MODEL_CONTEXTS: '{"scripted": 6000}' },
  })
  const job = (await built.post('/improve', { prompt: 'More', files: FILES, review: 'auto' })).json()
  t.match(job, { status: 'failed', error: { code: 'REPLY_TRUNCATED', message: /context/ } })
})

const BUG = 'numbers = [1, 2]\nprint(numbers[2])\n'
const MEND = `${F}diff\n--- a/main.py\n+++ b/main.py\n@@ -1,2 +1,2 @@\n numbers = [1, 2]\n-print(numbers[2])\n+print(numbers[1])\n${F}\n`
const PROGRAM_WITH_BUG = { 'main.py': BUG, 'run.sh': 'python3 main.py\n' }

test('self-heal goes on with a cut reply; where that does not help, its diff has the whole part', inJail, async t => {
  const [a = '', b = ''] = pieces(MEND, 60)
  const healed = await buildWithModel(t, [cut(a), { text: b }])
  const body = { prompt: 'Print the last number', files: PROGRAM_WITH_BUG }
  t.match((await healed.post('/self-heal', body)).json(), { status: 'succeeded', result: { healed: true } })

  const failed = await buildWithModel(t, [cut(`${MEND}\nAnd`), cut(' th'), cut('en'), cut(' this')])
  const job = (await failed.post('/self-heal', body)).json()
  t.match(job, { status: 'failed', error: { code: 'REPLY_TRUNCATED' } })
  t.match((await failed.app.inject(`/jobs/${job.id}/diff`)).body, /\+print\(numbers\[1\]\)/)

  const spent = await buildWithModel(t, [cut(`${MEND}\nAnd`)])
  const asked = (await spent.post('/self-heal', { ...body, budget: { tokens: 10 } })).json()
  t.match((await spent.reply(asked.id, { skip: true })).json(), {
    status: 'succeeded',
    result: { healed: false, stopped_because: 'budget', diff: /\+print\(numbers\[1\]\)/ },
  })
})

const PROJECT = {
  'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'shop/other.py': 'NAME = "other"\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const FIXED =
  `${F}diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,5 @@\n def average(items):\n` +
  `+    if not items:\n+        return 0\n     total = sum(items)\n     return total / len(items)\n${F}\n`

test('fix goes on with a cut reply; where that does not help, nothing is committed', async t => {
  const [a = '', b = ''] = pieces(FIXED, 130)
  const { post, git, app } = await buildProject(t, PROJECT, [
    cut(a),
    { text: b },
    cut(`${FIXED}\nAnd`),
    cut(' th'),
    cut('en'),
    cut(' this', { finishReason: 'content_filter' }),
  ])
  const body = { stacktrace: TRACE, project_name: 'shop', review: 'auto', allow_partial: true }
  const job = (await post('/fix', body)).json()
  t.match(job, { status: 'succeeded', result: { complete: true, diff: /\+ {4}if not items:/ } })
  const failed = (await post('/fix', body)).json()
  t.match(failed, { status: 'failed', result: null, error: { code: 'REPLY_FILTERED' } })
  t.match((await app.inject(`/jobs/${failed.id}/diff`)).body, /\+ {4}if not items:/)
  t.equal(git('for-each-ref', '--format=%(refname)', 'refs/heads'), `refs/heads/faultline/${job.id}`)
})

test(
  'kill -9 between two pieces: what is recorded is not asked for again',
  { ...inJail, timeout: 120_000 },
  async t => {
    const root = openFolder(t)
    const [a = '', b = '', c = ''] = pieces(CODE, 40, 90)
    await using model = await startModelServer({ chat: [cut(a), cut(b), { hang: true }] })
    const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
    const first = await startServerProcess(root, env, INLINE_SERVER)
    const { id } = await call(first.url, '/generate', { prompt: 'Say hello', execute: 'never' })
    await model.waitForRequest(3)
    await first.end('SIGKILL')

    model.push({ text: c }, SCRIPT)
    const second = await startServerProcess(root, env, INLINE_SERVER)
    try {
      t.match(await until(second.url, id, ({ status }) => status === 'succeeded'), { status: 'succeeded' })
      const main = await fetch(`${second.url}/jobs/${id}/files/main.py`)
      t.equal(await main.text(), MAIN)
      t.equal(model.requests.length, 5)
    } finally {
      await second.end('SIGTERM')
    }
  },
)
