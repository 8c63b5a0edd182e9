import { test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess } from '../helpers/server-process.ts'
import { call, until, type WireJob } from './job-over-http.ts'

const BUG = 'main.py\n```\nimport time\ntime.sleep(0.5)\nnumbers = [1, 2]\nprint(numbers[2])\n```\n'
const SCRIPT = '```\npython3 main.py\n```\n'
const MEND =
  '--- a/main.py\n+++ b/main.py\n@@ -3,2 +3,2 @@\n numbers = [1, 2]\n-print(numbers[2])\n+print(numbers[1])\n'
const HANG: Reply = { hang: true }

/**
 * Where the server is killed: the replies before it, what the job looks like there, and how many requests the model has
 * had.
 */
const PHASES: Array<{
  name: string
  chat: Reply[]
  asked: number
  isThere: (job: WireJob) => boolean
  after: Reply[]
  answer?: object
}> = [
  {
    name: 'a question is thought of',
    chat: [HANG],
    asked: 1,
    isThere: ({ progress }) => progress?.step === 'clarify',
    after: [{ text: 'Nothing to clarify' }, { text: BUG }, { text: SCRIPT }, { text: MEND }],
  },
  {
    name: 'a question waits',
    chat: [{ text: 'Which number?' }],
    asked: 1,
    isThere: ({ status }) => status === 'waiting',
    after: [{ text: 'Nothing to clarify' }, { text: BUG }, { text: SCRIPT }, { text: MEND }],
    answer: { answer: 'The last' },
  },
  {
    name: 'the code is written',
    chat: [{ text: 'Nothing to clarify' }, HANG],
    asked: 2,
    isThere: ({ progress }) => progress?.step === 'gen_code',
    after: [{ text: BUG }, { text: SCRIPT }, { text: MEND }],
  },
  {
    name: 'the script is written',
    chat: [{ text: 'Nothing to clarify' }, { text: BUG }, HANG],
    asked: 3,
    isThere: ({ progress }) => progress?.step === 'gen_entrypoint',
    after: [{ text: SCRIPT }, { text: MEND }],
  },
  {
    name: 'the program runs',
    chat: [{ text: 'Nothing to clarify' }, { text: BUG }, { text: SCRIPT }],
    asked: 3,
    isThere: ({ progress }) => progress?.message === 'attempt 1: running',
    after: [{ text: MEND }],
  },
  {
    name: 'a change is asked for',
    chat: [{ text: 'Nothing to clarify' }, { text: BUG }, { text: SCRIPT }, HANG],
    asked: 4,
    isThere: ({ progress }) => progress?.message.includes('asking for a change') === true,
    after: [{ text: MEND }],
  },
]

for (const { name, chat, asked, isThere, after, answer } of PHASES) {
  test(
    `kill -9 while ${name}: the job goes on after the restart, and nothing that was done is repeated`,
    { ...inJail, timeout: 120_000 },
    async t => {
      const root = openFolder(t)
      await using model = await startModelServer({ chat })
      const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
      const first = await startServerProcess(root, env, INLINE_SERVER)
      const { id } = await call(first.url, '/generate', {
        prompt: 'Print the last number',
        mode: 'clarified',
        self_heal: true,
      })
      await model.waitForRequest(asked)
      t.ok(isThere(await until(first.url, id, isThere)))
      await first.end('SIGKILL')

      model.push(...after)
      const second = await startServerProcess(root, env, INLINE_SERVER)
      try {
        if (answer !== undefined) {
          t.match(await until(second.url, id, ({ status }) => status === 'waiting'), {
            request: { kind: 'clarification' },
          })
          await call(second.url, `/jobs/${id}/reply`, answer)
        }
        const job = await until(second.url, id, ({ status }) => status === 'succeeded')
        t.match(job, {
          status: 'succeeded',
          result: { run: { stdout: '2\n' }, heal: { healed: true, attempts: [{ exit_code: 1 }, { exit_code: 0 }] } },
        })
        t.equal(model.requests.length, chat.length + after.length, 'only what was under way is asked again')
        t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
      } finally {
        await second.end('SIGTERM')
      }
    },
  )
}

const IMPROVED = '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n'
const MISSED = '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+2\n'

for (const { name, chat, asked, after } of [
  { name: 'changes are thought of', chat: [HANG], asked: 1, after: [{ text: MISSED }, { text: IMPROVED }] },
  {
    name: 'those that did not fit are asked for again',
    chat: [{ text: MISSED }, HANG],
    asked: 2,
    after: [{ text: IMPROVED }],
  },
  { name: 'a person looks at them', chat: [{ text: MISSED }, { text: IMPROVED }], asked: 2, after: [] },
] satisfies Array<{ name: string; chat: Reply[]; asked: number; after: Reply[] }>) {
  test(
    `kill -9 of an improvement while ${name}: it goes on after the restart with what was done`,
    { timeout: 60_000 },
    async t => {
      const root = openFolder(t)
      await using model = await startModelServer({ chat })
      const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
      const first = await startServerProcess(root, env, INLINE_SERVER)
      const { id } = await call(first.url, '/improve', { prompt: 'Two', files: { 'a.py': '1\n' } })
      await model.waitForRequest(asked)
      if (after.length === 0) await until(first.url, id, ({ status }) => status === 'waiting')
      await first.end('SIGKILL')

      model.push(...after)
      const second = await startServerProcess(root, env, INLINE_SERVER)
      try {
        t.match(await until(second.url, id, ({ status }) => status === 'waiting'), {
          status: 'waiting',
          request: { kind: 'review_changes', diff: /-1\n\+2\n/, rejected_hunks: [] },
        })
        await call(second.url, `/jobs/${id}/reply`, { decision: 'approve' })
        t.match(await until(second.url, id, ({ status }) => status === 'succeeded'), {
          status: 'succeeded',
          result: { refinements: 1, files: [{ path: 'a.py' }] },
        })
        t.equal(model.requests.length, chat.length + after.length, 'only what was under way is asked again')
      } finally {
        await second.end('SIGTERM')
      }
    },
  )
}
