import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { Reply } from '../fakes/model-server.ts'
import { eventually } from '../helpers/processes.ts'
import { buildProject, type ProjectWithModel } from '../helpers/project-with-model.ts'

const FILES = { 'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n' }
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const MEND =
  'An empty list.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,5 @@\n' +
  ' def average(items):\n+    if not items:\n+        return 0\n     total = sum(items)\n' +
  '     return total / len(items)\n```\n'
/** Git has five seconds for a search, which a busy machine may need for something else. */
const ENDED = /^(?:ok|timed_out)$/

interface SlowProject extends ProjectWithModel {
  /** Lets the `git blame` pass that stands at the gate. */
  letGo: () => Promise<void>
}

/** A project whose `git blame` waits at a gate: it reads its settings from a pipe. */
async function buildSlow(t: Test, replies: Reply[]): Promise<SlowProject> {
  const built = await buildProject(t, FILES, replies)
  await built.services.idle() // the history is there
  const gate = join(built.root, 'gate')
  execFileSync('mkfifo', [gate])
  built.git('config', 'blame.ignoreRevsFile', gate)
  const letGo = async (): Promise<void> => {
    const writer = await open(gate, 'r+') // to write alone would wait for ever where git's time is up
    await writer.close()
  }
  return { ...built, letGo }
}

interface Event {
  event: string
  data: { id?: string; suspects_status?: string; suspect_commits?: unknown[] }
}

const readEvents = (text: string): Event[] =>
  [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as Event['data'],
  }))

const ASKED = { project_name: 'shop', stacktrace: TRACE, mode: 'context' }

const statusOf = async (app: SlowProject['app']): Promise<string> =>
  (await app.inject({ method: 'POST', url: '/resolve', body: ASKED })).json().suspects_status

test('while git is slow an answer says pending, and so does every equal one; then they follow', async t => {
  const { app, letGo } = await buildSlow(t, [])
  t.equal(await statusOf(app), 'pending')
  t.equal(await statusOf(app), 'pending')
  const res = await app.inject({
    method: 'POST',
    url: '/resolve',
    headers: { accept: 'text/event-stream' },
    body: ASKED,
    payloadAsStream: true,
  })
  let text = ''
  for await (const chunk of res.stream()) {
    const isFirst = !text.includes('event: located')
    text += String(chunk)
    if (isFirst && text.includes('event: located')) await letGo()
  }
  const events = readEvents(text)
  t.same(
    events.map(({ event }) => event),
    ['located', 'suspects', 'done'],
  )
  const [located, suspects, done] = events
  t.equal(located?.data.suspects_status, 'pending')
  t.match(suspects?.data, { id: located?.data.id, suspects_status: ENDED })
  t.match(done?.data, { id: located?.data.id, ...suspects?.data })
  t.match(await statusOf(app), ENDED)
})

for (const [url, reply] of [
  ['/resolve', 'An empty list.'],
  ['/fix', MEND],
] as const) {
  test(`a job of ${url} has suspects that are late as an event, while the model writes`, async t => {
    const writing = Promise.withResolvers<undefined>()
    const {
      app,
      letGo,
      model: server,
      services,
    } = await buildSlow(t, [{ text: reply, slowTokensUntil: writing.promise }])
    t.teardown(() => writing.resolve(undefined))
    t.equal(await statusOf(app), 'pending')
    const res = await app.inject({
      method: 'POST',
      url,
      headers: { prefer: 'respond-async' },
      body: { project_name: 'shop', stacktrace: TRACE, ...(url === '/fix' ? { review: 'auto' } : {}) },
    })
    const { id } = res.json()
    await server.waitForRequest(1) // it was located
    await letGo()
    const suspects = async (): Promise<Event | undefined> =>
      (await app.inject(`/jobs/${id}/events`)).json().data.find(({ event }: Event) => event === 'suspects')
    t.ok(await eventually(async () => (await suspects()) !== undefined))
    t.match((await suspects())?.data, { id: /^res_/, suspects_status: ENDED })
    writing.resolve(undefined)
    t.match(await services.jobs.settled(id, 30_000), { status: 'succeeded' })
  })
}
