import { test } from 'tap'
import { createPrompts } from '../../../src/llm/prompts.ts'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'

const { render } = createPrompts()
const FILE_FORMAT = render('file_format', {})
const SYSTEM =
  `${render('roadmap', {})}\n${render('generate', { file_format: FILE_FORMAT })}\nUseful to know:\n` +
  `${render('philosophy', {})}`
const CODE =
  'Two files.\n\nmain.py\n```python\nfrom greet import hello\nprint(hello())\n```\n\ngreet.py\n```python\n' +
  'def hello():\n    return "Hello"\n```\n'
const SCRIPT = 'Here:\n```bash\nset -e\n```\nand then\n```\npython3 main.py\n```\n'
/** Without the fence of data, whose tag is drawn anew. */
const shown = (content: string | undefined) => content?.replaceAll(/data-[0-9a-f]{32}/g, 'data-TAG')

test('standard generation: the code, the script, the question, the run', inJail, async t => {
  const { app, post, reply, sent, model } = await buildWithModel(t, [{ text: CODE }, { text: SCRIPT }])
  const asked = (await post('/generate', { prompt: 'Say hello' })).json()
  t.match(asked, {
    status: 'waiting',
    request: {
      kind: 'confirm_run',
      command: 'bash run.sh',
      script: 'set -e\npython3 main.py\n',
      files: [{ path: 'greet.py' }, { path: 'main.py' }, { path: 'run.sh' }],
    },
  })
  t.same(sent(0), [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: 'Say hello' },
  ])
  t.same(
    sent(1).map(({ role }) => role),
    ['system', 'user'],
  )
  t.ok(sent(1)[0]?.content.startsWith(render('entrypoint', {})))
  t.match(
    shown(sent(1)[1]?.content),
    /^Make a unix script that\na\) installs dependencies\nb\) runs all[^]*<data-TAG label="files">\ngreet.py\n```\ndef hello\(\):\n {4}return "Hello"\n```\n\nmain.py\n```\nfrom greet import hello\nprint\(hello\(\)\)\n```\n<\/data-TAG>$/,
  )

  const job = (await reply(asked.id, { decision: 'approve' })).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      entrypoint: 'run.sh',
      run: { exit_code: 0, stdout: 'Hello\n', timed_out: false },
      heal: null,
      files: [{ path: 'greet.py' }, { path: 'main.py' }, { path: 'run.sh' }],
    },
    progress: { step: 'execute_entrypoint', done: 3, total: 3, message: 'done' },
  })
  t.equal((await app.inject(`/jobs/${job.id}/files/run.sh`)).body, 'set -e\npython3 main.py\n')
  const events = (await app.inject(`/jobs/${job.id}/events`)).json().data as Array<{
    event: string
    data: { text?: string }
  }>
  t.ok(
    events.some(({ event, data }) => event === 'log' && data.text?.includes('Hello')),
    'the output is among the events',
  )
  const transcript = (await app.inject(`/jobs/${job.id}/transcript`)).json().data as Array<{
    kind: string
    exit_code?: number
  }>
  t.same(
    transcript.map(({ kind }) => kind),
    ['created', 'messages', 'reply', 'messages', 'reply', 'question', 'answer', 'command'],
  )
  t.equal(model.requests.length, 2)
})

test('a run that is declined, or not wanted, is none, and the job succeeds', async t => {
  const { post, reply } = await buildWithModel(t, [{ text: CODE }, { text: SCRIPT }, { text: CODE }, { text: SCRIPT }])
  const asked = (await post('/generate', { prompt: 'Say hello' })).json()
  t.match((await reply(asked.id, { decision: 'reject' })).json(), {
    status: 'succeeded',
    result: { run: null, files: [{}, {}, {}] },
  })
  t.match((await post('/generate', { prompt: 'Say hello', execute: 'never' })).json(), {
    status: 'succeeded',
    result: { run: null },
  })
})

test('lite: the file format alone, then the script', async t => {
  const { post, sent } = await buildWithModel(t, [{ text: CODE }, { text: SCRIPT }])
  t.match((await post('/generate', { prompt: 'Say hello', mode: 'lite', execute: 'never' })).json(), {
    status: 'succeeded',
  })
  t.same(sent(0), [
    { role: 'system', content: FILE_FORMAT },
    { role: 'user', content: 'Say hello' },
  ])
})

test('files that are sent along are shown as data, and can be changed', async t => {
  const { app, post, sent } = await buildWithModel(t, [{ text: 'main.py\n```\nprint(2)\n```\n' }, { text: SCRIPT }])
  const job = (
    await post('/generate', {
      prompt: 'Print 2',
      files: { 'main.py': 'print(1)\n', 'NOTES.md': '```\nold\n```\n' },
      execute: 'never',
    })
  ).json()
  t.match(job, { status: 'succeeded' })
  t.match(
    shown(sent(0)[1]?.content),
    /^Print 2\n[^]*<data-TAG label="files">\nmain.py\n```\nprint\(1\)\n```\n\nNOTES.md\n````\n```\nold\n```\n````\n<\/data-TAG>$/,
  )
  t.equal((await app.inject(`/jobs/${job.id}/files/main.py`)).body, 'print(2)\n')
})

test(
  'files that are sent along are part of the program: they run with it, the script is written for them, ' +
    'and those that the model takes away are gone',
  inJail,
  async t => {
    const { app, post, sent } = await buildWithModel(t, [
      {
        text:
          'main.py\n```\nfrom data import NUMBER\nprint(NUMBER)\n```\n\n```diff\n--- a/old.py\n+++ /dev/null\n' +
          '@@ -1 +0,0 @@\n-raise SystemExit(1)\n```\n',
      },
      { text: SCRIPT },
    ])
    const job = (
      await post('/generate', {
        prompt: 'Print the number',
        files: { 'data.py': 'NUMBER = 7\n', 'old.py': 'raise SystemExit(1)\n' },
        execute: 'always',
      })
    ).json()
    t.match(job, { status: 'succeeded', result: { run: { exit_code: 0, stdout: '7\n' } } })
    t.same(
      job.result.files.map(({ path }: { path: string }) => path),
      ['data.py', 'main.py', 'run.sh'],
    )
    t.match(sent(1)[1]?.content, /data\.py\n```\nNUMBER = 7\n```/)
    t.equal((await app.inject(`/jobs/${job.id}/files/data.py`)).body, 'NUMBER = 7\n')
  },
)

const REFUSED =
  '../../etc/cron.d/x\n```\n* * * * * root sh\n```\n\n.git/hooks/pre-commit\n```\nsh\n```\n\nmain.py\n' +
  '```\nprint(1)\n```\n\nmain.py/x.py\n```\nprint(2)\n```\n'

test('what of a reply cannot be kept is asked for again; at last the job fails, naming it', async t => {
  const { app, post, sent } = await buildWithModel(t, [{ text: REFUSED }, { text: 'I see no other way.' }])
  const job = (await post('/generate', { prompt: 'x', execute: 'never' })).json()
  t.match(job, { status: 'failed', error: { code: 'EDITS_REJECTED' } })
  for (const refused of [/etc\/cron/, /pre-commit/, /main\.py\/x\.py/]) {
    t.match(sent(1)[3]?.content, refused)
    t.match(job.error.message, refused)
  }
  const { data } = (await app.inject(`/jobs/${job.id}/files`)).json()
  t.same(
    data.map(({ path }: { path: string }) => path),
    ['main.py'],
  )
})

test('a block that nobody can place is asked about with its lines, and named or disowned', async t => {
  const css = 'body {\n  margin: 0;\n  color: #222;\n}\n'
  const first = `index.html\n\`\`\`html\n<h1>Hi</h1>\n\`\`\`\n\nAnd the looks:\n\n\`\`\`css\n${css}\`\`\`\n`
  const { app, post, sent } = await buildWithModel(t, [
    { text: first },
    { text: `style.css\n\`\`\`css\n${css}\`\`\`\n` },
    { text: SCRIPT },
    { text: first },
    { text: 'NOT A FILE' },
    { text: SCRIPT },
    { text: first },
    { text: 'other.txt\n```\nx\n```\n' },
  ])
  const named = (await post('/generate', { prompt: 'x', execute: 'never' })).json()
  t.match(named, { status: 'succeeded' })
  t.match(sent(1)[3]?.content, /Nothing says which file[^]*margin: 0;/)
  t.equal((await app.inject(`/jobs/${named.id}/files/style.css`)).body, css)
  t.match((await post('/generate', { prompt: 'x', execute: 'never' })).json(), { status: 'succeeded' }, 'disowned')
  const lost = (await post('/generate', { prompt: 'x', execute: 'never' })).json()
  t.match(lost, { status: 'failed', error: { code: 'EDITS_REJECTED', message: /margin: 0;/ } })
})

test('a reply without files is asked for once more, with the reason; then the job fails', async t => {
  const { post, sent, model } = await buildWithModel(t, [
    { text: 'Sure!\n```\nprint(1)\n```\n' },
    { text: CODE },
    { text: SCRIPT },
    { text: 'I will not.' },
    { text: 'No.' },
  ])
  t.match((await post('/generate', { prompt: 'Say hello', execute: 'never' })).json(), { status: 'succeeded' })
  t.same(
    sent(1).map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  )
  t.match(sent(1)[3]?.content, /No file could be read/)
  t.match((await post('/generate', { prompt: 'Say hello', execute: 'never' })).json(), {
    status: 'failed',
    error: { code: 'NO_FILES_IN_REPLY' },
  })
  t.equal(model.requests.length, 5)
})

test('a program that is to be healed is run and mended without a question', inJail, async t => {
  const bug = 'main.py\n```\nnumbers = [1, 2]\nprint(numbers[2])\n```\n'
  const mend =
    '```diff\n--- a/main.py\n+++ b/main.py\n@@ -1,2 +1,2 @@\n numbers = [1, 2]\n-print(numbers[2])\n' +
    '+print(numbers[-1])\n```\n'
  const { app, post } = await buildWithModel(t, [{ text: bug }, { text: SCRIPT }, { text: mend }])
  const job = (await post('/generate', { prompt: 'Print the last number', self_heal: true })).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      run: { exit_code: 0, stdout: '2\n' },
      heal: {
        healed: true,
        stopped_because: 'healed',
        attempts: [{ exit_code: 1 }, { exit_code: 0 }],
        files: [{ path: 'main.py' }],
        diff: /\+print\(numbers\[-1\]\)/,
      },
    },
  })
  t.equal((await app.inject(`/jobs/${job.id}/files/main.py`)).body, 'numbers = [1, 2]\nprint(numbers[-1])\n')
  t.match((await post('/generate', { prompt: 'x', self_heal: true, execute: 'never' })).json(), {
    status: 400,
    code: 'VALIDATION_FAILED',
  })
})

test('without a model nothing is begun; a dry run needs none', async t => {
  const { app } = await buildWithModel(t, [], { env: { LLM_MODEL: '' } })
  t.match((await app.inject({ method: 'POST', url: '/generate', body: { prompt: 'x' } })).json(), {
    status: 503,
    code: 'LLM_NOT_CONFIGURED',
    fix: /LLM_BASE_URL/,
  })
  const dry = (
    await app.inject({ method: 'POST', url: '/generate', body: { prompt: 'Say hello', dry_run: true } })
  ).json()
  t.same(dry.messages, [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: 'Say hello' },
  ])
  t.ok(dry.tokens > 100)
})

test('bad bodies are refused with the failing value', async t => {
  const { app, model } = await buildWithModel(t, [])
  const refused = async (body: object) => (await app.inject({ method: 'POST', url: '/generate', body })).json()
  t.match(await refused({ prompt: 'x', files: { '../up.py': '' } }), {
    status: 400,
    code: 'BAD_PATH',
    detail: /\.\.\/up\.py/,
  })
  t.match(await refused({ prompt: 'x', files: { 'a/.git/config': '' } }), { status: 400, code: 'BAD_PATH' })
  t.match(await refused({ prompt: 'x', files: { a: '', 'a/b': '' } }), {
    status: 400,
    code: 'BAD_PATH',
    detail: /folder/,
  })
  t.match(await refused({ prompt: ' \n' }), { status: 400, code: 'VALIDATION_FAILED' })
  t.match(await refused({ prompt: 'x', modes: 'lite' }), { status: 400, code: 'VALIDATION_FAILED' })
  t.match(await refused({ prompt: 'x', max_questions: 3 }), {
    status: 400,
    code: 'VALIDATION_FAILED',
    detail: /clarified/,
  })
  t.equal(model.requests.length, 0)
})

test('a budget that is used up makes a generation wait; who lets it be ends it, and what is written stays', async t => {
  const { app, post, reply } = await buildWithModel(t, [{ text: CODE }, { text: SCRIPT }, { text: CODE }])
  const first = (await post('/generate', { prompt: 'x', execute: 'never', budget: { tokens: 10 } })).json()
  t.match(first, { status: 'waiting', request: { kind: 'budget' } })
  t.match((await reply(first.id, { budget: { tokens: 1_000_000 } })).json(), { status: 'succeeded' })
  const second = (await post('/generate', { prompt: 'x', execute: 'never', budget: { tokens: 10 } })).json()
  t.match((await reply(second.id, { skip: true })).json(), { status: 'failed', error: { code: 'BUDGET_EXHAUSTED' } })
  t.same(
    (await app.inject(`/jobs/${second.id}/files`)).json().data.map(({ path }: { path: string }) => path),
    ['greet.py', 'main.py'],
  )
})

test('a generation can be started again from a step: what came before it is taken over', async t => {
  const { post, model } = await buildWithModel(t, [
    { text: CODE },
    { text: SCRIPT },
    { text: '```\npython3 -O main.py\n```\n' },
  ])
  const first = (await post('/generate', { prompt: 'x', execute: 'never' })).json()
  const again = (await post(`/jobs/${first.id}/retry`, { from_step: 'gen_entrypoint' })).json()
  t.match(again, {
    status: 'succeeded',
    retry_of: first.id,
    result: { files: [{ path: 'greet.py' }, { path: 'main.py' }, { path: 'run.sh', bytes: 19 }] },
  })
  t.equal(model.requests.length, 3)
  t.match((await post(`/jobs/${first.id}/retry`, { from_step: 'gen_entrypoint', prompt: 'y' })).json(), {
    status: 400,
    detail: /prompt cannot be overridden/,
  })
})

test('who asks to be asked before a program is healed is asked; declined, nothing runs', inJail, async t => {
  const { post, reply, model } = await buildWithModel(t, [
    { text: CODE },
    { text: SCRIPT },
    { text: CODE },
    { text: SCRIPT },
  ])
  const body = { prompt: 'Say hello', self_heal: true, execute: 'ask' }
  const first = (await post('/generate', body)).json()
  t.match(first, { status: 'waiting', request: { kind: 'confirm_run', script: 'set -e\npython3 main.py\n' } })
  t.match((await reply(first.id, { decision: 'reject' })).json(), {
    status: 'succeeded',
    result: { run: null, heal: null, files: [{}, {}, {}] },
  })
  const second = (await post('/generate', body)).json()
  t.match((await reply(second.id, { decision: 'approve' })).json(), {
    status: 'succeeded',
    result: { run: { exit_code: 0 }, heal: { healed: true, files: [], attempts: [{ exit_code: 0 }] } },
  })
  t.equal(model.requests.length, 4)
})

test('healing that is retried from a later attempt begins with the files that it had then', inJail, async t => {
  const change = (from: string, to: string) => ({
    text: `--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-raise ValueError("${from}")\n+${to}\n`,
  })
  const { post, app, model } = await buildWithModel(t, [
    { text: 'main.py\n```\nraise ValueError("1")\n```\n' },
    { text: SCRIPT },
    change('1', 'raise ValueError("2")'),
    change('2', 'raise ValueError("3")'),
    change('3', 'print("from the first job")'),
    change('2', 'print("again")'),
  ])
  const first = (await post('/generate', { prompt: 'x', self_heal: true })).json()
  t.match(first, { status: 'succeeded', result: { run: { stdout: 'from the first job\n' } } })
  const again = (await post(`/jobs/${first.id}/retry`, { from_step: 'improve:1' })).json()
  t.match(again, {
    status: 'succeeded',
    result: {
      run: { stdout: 'again\n' },
      heal: { healed: true, attempts: [{ exit_code: 1 }, { exit_code: 1 }, { exit_code: 0 }] },
    },
  })
  t.equal((await app.inject(`/jobs/${again.id}/files/main.py`)).body, 'print("again")\n')
  t.equal(model.requests.length, 6)
  t.equal((await app.inject({ method: 'DELETE', url: `/jobs/${first.id}` })).statusCode, 204)
  t.equal(
    (await app.inject(`/jobs/${again.id}/files/run.sh`)).body,
    'set -e\npython3 main.py\n',
    'what was taken over stays when the first job goes',
  )
})

test('a reply without commands is asked again once; a second one without any ends the job', async t => {
  const prose = 'Run the file with Python.\n'
  const { post, sent, app } = await buildWithModel(t, [{ text: CODE }, { text: prose }, { text: SCRIPT }])
  const { id } = (await post('/generate', { prompt: 'Say hello', execute: 'never' })).json()
  t.equal((await app.inject(`/jobs/${id}/files/run.sh`)).body, 'set -e\npython3 main.py\n')
  t.match(sent(2).slice(-2), [
    { role: 'assistant', content: prose },
    { role: 'user', content: render('entrypoint-again', {}) },
  ])

  const { post: ask } = await buildWithModel(t, [{ text: CODE }, { text: prose }, { text: prose }])
  t.match((await ask('/generate', { prompt: 'Say hello', execute: 'never' })).json(), {
    status: 'failed',
    error: { code: 'NO_FILES_IN_REPLY', step: 'gen_entrypoint.script:1', fix: /retry/ },
  })
})

test('a reply whose second file has no end is asked for the rest, not for all', async t => {
  const open = 'main.py\n```python\nprint(1)\n```\n\ngreet.py\n```python\ndef hello():\n'
  const { post, sent } = await buildWithModel(t, [{ text: open }, { text: CODE }, { text: SCRIPT }])
  t.match((await post('/generate', { prompt: 'Say hello', execute: 'never' })).json(), { status: 'succeeded' })
  const [asked] = sent(1).slice(-1)
  t.match(asked?.content, /^These files of your answer were read and are kept:[^]*main\.py[^]*greet\.py/)
  t.notMatch(asked?.content, /No file could be read/)
})

test('what a body told before it asked is not told again after the reply', async t => {
  const { app, post, reply } = await buildWithModel(t, [{ text: 'No file.' }, { text: CODE }, { text: SCRIPT }])
  const asked = (await post('/generate', { prompt: 'Say hello' })).json()
  const { id } = (await reply(asked.id, { decision: 'reject' })).json()
  const events = (await app.inject(`/jobs/${id}/events`)).json().data as Array<{
    event: string
    data: { text?: string; message?: string }
  }>
  const told = events.map(({ data }) => data.text ?? data.message ?? '')
  t.same(
    told.filter(text => /asked again|writing the code|running it/.test(text)),
    ['writing the code', 'The reply holds no file; the model is asked again.', 'running it'],
  )
})
