import { test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import { programStarters } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { lastingOrphans, startServerProcess } from '../helpers/server-process.ts'
import { call, until } from './job-over-http.ts'

const BUG = 'main.py\n```\nimport time\ntime.sleep(0.5)\nnumbers = [1, 2]\nprint(numbers[2])\n```\n'
const SCRIPT = '```\npython3 main.py\n```\n'
const MEND =
  '--- a/main.py\n+++ b/main.py\n@@ -3,2 +3,2 @@\n numbers = [1, 2]\n-print(numbers[2])\n+print(numbers[1])\n'

test(
  'a job whose program runs goes on when the process that starts programs is killed, and so does the server',
  { ...inJail, timeout: 120_000 },
  async t => {
    const root = openFolder(t)
    await using model = await startModelServer({ chat: [{ text: BUG }, { text: SCRIPT }, { text: MEND }] })
    const server = await startServerProcess(root, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
    try {
      const { id } = await call(server.url, '/generate', {
        prompt: 'Print the last number',
        execute: 'always',
        self_heal: true,
      })
      await until(server.url, id, ({ progress }) => progress?.message === 'attempt 1: running')
      const starters = programStarters(server.child.pid)
      t.equal(starters.length, 1)
      for (const pid of starters) process.kill(pid, 'SIGKILL')
      const job = await until(server.url, id, ({ status }) => status === 'succeeded')
      t.match(job, {
        result: { run: { stdout: '2\n' }, heal: { healed: true, attempts: [{ exit_code: 1 }, { exit_code: 0 }] } },
      })
      t.equal(model.requests.length, 3, 'no model is asked again')
      t.match(await (await fetch(`${server.url}/ready`)).json(), { ready: true })
    } finally {
      await server.end('SIGKILL')
    }
    t.same(await lastingOrphans(root, process.pid), [], 'nothing outlives the server')
  },
)
