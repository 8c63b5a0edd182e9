import { test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'
import { call, until, type WireJob } from './job-over-http.ts'

const HANG: Reply = { hang: true }
const IMPROVED = '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n'
const OTHER = '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+3\n'
const isWaiting = ({ status }: WireJob): boolean => status === 'waiting'

for (const { name, killed } of [
  { name: 'the model is asked again', killed: [HANG] },
  { name: 'the changes after a rejection wait', killed: [{ text: `Three.\n\n${OTHER}` }] },
] satisfies Array<{ name: string; killed: Reply[] }>) {
  test(
    `kill -9 while ${name}: the comment stays, and what the model said is not asked for again`,
    { timeout: 60_000 },
    async t => {
      const root = openFolder(t)
      await using model = await startModelServer({ chat: [{ text: IMPROVED }, ...killed] })
      const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
      const first = await startServerProcess(root, env, INLINE_SERVER)
      const { id } = await call(first.url, '/improve', { prompt: 'Two', files: { 'a.py': '1\n' } })
      await until(first.url, id, isWaiting)
      await call(first.url, `/jobs/${id}/reply`, { decision: 'reject', comment: 'Three, please.' })
      await model.waitForRequest(2)
      if (killed[0] !== HANG) await until(first.url, id, isWaiting)
      await first.end('SIGKILL')

      const after: Reply[] = killed[0] === HANG ? [{ text: `Three.\n\n${OTHER}` }] : []
      model.push(...after)
      const second = await startServerProcess(root, env, INLINE_SERVER)
      try {
        t.match(await until(second.url, id, isWaiting), {
          request: { kind: 'review_changes', explanation: 'Three.', diff: /-1\n\+3\n/, refinements_left: 2 },
        })
        await call(second.url, `/jobs/${id}/reply`, { decision: 'approve' })
        t.match(await until(second.url, id, ({ status }) => status === 'succeeded'), {
          result: { refinements: 1, decision: 'approve', files: [{ path: 'a.py' }] },
        })
        t.equal(model.requests.length, 2 + after.length, 'only what was under way is asked again')
        t.match(JSON.stringify(model.requests.at(-1)?.body), /Three, please\./)
      } finally {
        await second.end('SIGTERM')
      }
    },
  )
}
