import { setTimeout as delay } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { Reply } from '../fakes/model-server.ts'
import { buildWithModel, type AppWithModel } from '../helpers/build-with-model.ts'
import { lastingOrphans } from '../helpers/server-process.ts'
import { inJail } from '../helpers/sandbox.ts'

const CODE = 'main.py\n```\nimport time\nprint("runs", flush=True)\ntime.sleep(600)\n```\n'
const SCRIPT = '```\npython3 main.py\n```\n'
const HANG: Reply = { hang: true }

/** Posts without waiting and comes back when the job looks as wanted. */
async function begin(
  t: Test,
  { app }: AppWithModel,
  body: object,
  isThere: (events: Array<{ event: string; data: { text?: string; status?: string } }>) => boolean,
  url = '/generate',
): Promise<string> {
  const { id } = (await app.inject({ method: 'POST', url, body })).json()
  for (let tries = 0; tries < 1200; tries++) {
    if (isThere((await app.inject(`/jobs/${id}/events`)).json().data)) return id
    await delay(25)
  }
  t.fail('the job did not get there')
  return id
}

const printed = (events: Array<{ event: string; data: { text?: string } }>): boolean =>
  events.some(({ event, data }) => event === 'log' && data.text?.includes('runs'))

async function cancel(t: Test, built: AppWithModel, id: string, kept: string[]): Promise<void> {
  t.match((await built.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })).json(), { status: 'cancelled' })
  t.match((await built.app.inject(`/jobs/${id}?wait=5`)).json(), { status: 'cancelled', result: null })
  t.same(
    (await built.app.inject(`/jobs/${id}/files`)).json().data.map(({ path }: { path: string }) => path),
    kept,
    'what is done is kept',
  )
  t.equal((await built.app.inject({ method: 'DELETE', url: `/jobs/${id}` })).statusCode, 204, 'it is at its end')
  t.same(await lastingOrphans(built.root, process.pid), [])
}

test('a generation is cancelled while the model writes', async t => {
  const built = await buildWithModel(t, [HANG])
  const id = await begin(t, built, { prompt: 'x' }, () => built.model.requests.length === 1)
  const [request] = built.model.requests
  await cancel(t, built, id, [])
  t.equal(await request?.hungUp, true)
})

test(
  'a generation is cancelled while the script is written, while it waits, and while the program runs; its files stay',
  inJail,
  async t => {
    const writing = await buildWithModel(t, [
      { text: CODE },
      HANG,
      { text: CODE },
      { text: SCRIPT },
      { text: CODE },
      { text: SCRIPT },
    ])
    await cancel(t, writing, await begin(t, writing, { prompt: 'x' }, () => writing.model.requests.length === 2), [
      'main.py',
    ])
    await cancel(
      t,
      writing,
      await begin(t, writing, { prompt: 'x' }, events => events.some(({ data }) => data.status === 'waiting')),
      ['main.py', 'run.sh'],
    )
    await cancel(t, writing, await begin(t, writing, { prompt: 'x', execute: 'always' }, printed), [
      'main.py',
      'run.sh',
    ])
  },
)

test(
  'a clarification is cancelled while it waits, an improvement while the model writes and while a person ' +
    'looks at it',
  async t => {
    const built = await buildWithModel(t, [
      { text: 'Which?' },
      HANG,
      { text: '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n' },
    ])
    const waits = (events: Array<{ data: { status?: string } }>) => events.some(({ data }) => data.status === 'waiting')
    await cancel(t, built, await begin(t, built, { prompt: 'x', mode: 'clarified' }, waits), [])
    await cancel(
      t,
      built,
      await begin(
        t,
        built,
        { prompt: 'x', files: { 'a.py': '1\n' } },
        () => built.model.requests.length === 2,
        '/improve',
      ),
      ['a.py'],
    )
    await cancel(t, built, await begin(t, built, { prompt: 'x', files: { 'a.py': '1\n' } }, waits, '/improve'), [
      'a.py',
    ])
  },
)

test('a healing is cancelled while the program runs and while a change is asked for', inJail, async t => {
  const built = await buildWithModel(t, [HANG])
  const heal = (script: string) => ({ prompt: 'x', files: { 'run.sh': script } })
  await cancel(t, built, await begin(t, built, heal('echo runs; sleep 600\n'), printed, '/self-heal'), ['run.sh'])
  await cancel(
    t,
    built,
    await begin(t, built, heal('exit 1\n'), () => built.model.requests.length === 1, '/self-heal'),
    ['run.sh'],
  )
})
