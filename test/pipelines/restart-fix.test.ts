import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { call, until, type WireJob } from './job-over-http.ts'

const FILES = {
  'shop/__init__.py': '',
  'shop/prices.py': 'def average(items):\n    return sum(items) / len(items)\n',
  'tests/__init__.py': '',
  'tests/test_old.py':
    'import unittest\nfrom shop.prices import average\n\n\nclass OldTest(unittest.TestCase):\n' +
    '    def test_two(self):\n        self.assertEqual(average([1, 3]), 2)\n',
}
const TEST: Reply = {
  text:
    'tests/test_prices.py\n```python\nimport unittest\nfrom shop.prices import average\n\n\n' +
    'class PricesTest(unittest.TestCase):\n    def test_empty(self):\n        self.assertEqual(average([]), 0)\n```\n',
}
const MEND: Reply = {
  text:
    '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,2 @@\n def average(items):\n' +
    '-    return sum(items) / len(items)\n+    return sum(items) / len(items) if items else 0\n```\n',
}
const HANG: Reply = { hang: true }
const BODY = {
  stacktrace:
    'Traceback (most recent call last):\n  File "/srv/shop/prices.py", line 2, in average\n' +
    '    return sum(items) / len(items)\nZeroDivisionError: division by zero',
  project_name: 'shop',
  reproduce: true,
  review: 'auto',
  verify: { command: 'sleep 1; python3 -m unittest' },
}
const STEPS = ['reproduce.run', 'reproduce.run:1', 'baseline', 'verify.narrow', 'verify']

interface Fixed {
  branch: string
  commit: string
  base_commit: string
}

async function setup(t: Test, chat: Reply[]) {
  const root = openFolder(t)
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const repository = createGitRepository(join(root, 'remotes', 'shop.git'), { files: FILES })
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ALLOW_LOCAL_REPOS: join(root, 'remotes') }
  const start = (): Promise<ServerProcess> => startServerProcess(root, env, INLINE_SERVER)
  const first = await start()
  t.teardown(() => first.end('SIGKILL')) // where the test ended before it did
  await call(first.url, '/clone?wait=60', { url: repository.dir, project_name: 'shop' })
  const git = (...args: string[]) =>
    execFileSync('git', [`--git-dir=${join(root, 'cloned_repos', 'shop')}`, ...args])
      .toString()
      .trim()
  return { root, model, start, first, git }
}

/** The steps that have an entry of a kind in the transcript, in their order. */
async function stepsWith(kind: 'command' | 'reply', url: string, id: string): Promise<string[]> {
  const { data } = (await (await fetch(`${url}/jobs/${id}/transcript`)).json()) as {
    data: Array<{ kind: string; step: string }>
  }
  return data.filter(one => one.kind === kind).map(({ step }) => step)
}

const commandsOf = (url: string, id: string): Promise<string[]> => stepsWith('command', url, id)

const at =
  (step: string) =>
  ({ progress }: WireJob): boolean =>
    progress?.step === step

for (const { name, chat, isThere, after, done } of [
  { name: 'a test is asked for', chat: [HANG], isThere: at('reproduce'), after: [TEST, MEND], done: 0 },
  { name: 'the test is tried out', chat: [TEST], isThere: at('reproduce'), after: [MEND], done: 0 },
  { name: 'the tests run before the fix', chat: [TEST], isThere: at('baseline'), after: [MEND], done: 2 },
  { name: 'a fix is asked for', chat: [TEST, HANG], isThere: at('improve'), after: [MEND], done: 3 },
  { name: 'the tests run after the fix', chat: [TEST, MEND], isThere: at('verify'), after: [], done: 3 },
]) {
  test(
    `kill -9 while ${name}: the fix is proved after the restart, and nothing that was done is repeated`,
    { ...inJail, timeout: 120_000 },
    async t => {
      const { root, start, first, git, model } = await setup(t, chat)
      const { id } = await call(first.url, '/fix', BODY)
      await until(first.url, id, isThere)
      await model.waitForRequest(chat.length)
      // a reply that is on its way when the process ends is asked for again
      const answered = chat.filter(reply => reply !== HANG).length
      t.ok(await eventually(async () => (await stepsWith('reply', first.url, id)).length >= answered))
      t.ok((await commandsOf(first.url, id)).length >= done)
      await first.end('SIGKILL')
      model.push(...after)
      const second = await start()
      try {
        const job = await until<Fixed>(second.url, id, ({ status }) => status === 'succeeded')
        t.match(
          job,
          {
            status: 'succeeded',
            result: { verification: /^verified$/, reproduction: { reproduced: true }, runs: [{ before: 1, after: 0 }] },
          },
          JSON.stringify(job.error),
        )
        t.same(await commandsOf(second.url, id), STEPS, 'each command ran to its end once')
        t.equal(model.requests.length, chat.length + after.length)
        const { branch, base_commit: base } = job.result
        t.equal(git('rev-list', '--count', `${base}..${branch}`), '2')
        t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
      } finally {
        await second.end('SIGTERM')
      }
    },
  )
}
