import { join } from 'node:path'
import { test } from 'tap'
import type { ResolutionAnswer } from '../../src/contract/resolution.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { FAR_CAUSE, FAR_TRACE } from '../helpers/far-cause.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually } from '../helpers/processes.ts'
import { openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'
import { call, until } from './job-over-http.ts'

const looks = (name: string): Reply => ({ toolCalls: [{ name: 'find_definition', arguments: { name } }] })
const HANG: Reply = { hang: true }
const ANSWER: Reply = { text: '## Cause\n`read_shelf` gives no price.\n' }

for (const { name, before, after } of [
  { name: 'the first question is on its way', before: [HANG], after: [looks('prices_of'), ANSWER] },
  {
    name: 'the third question is on its way',
    before: [looks('prices_of'), looks('shelf_price'), HANG],
    after: [looks('read_shelf'), ANSWER],
  },
]) {
  test(`kill -9 while ${name}: it goes on, and asks nothing again that was answered`, { timeout: 120_000 }, async t => {
    const root = openFolder(t)
    const model = await startModelServer({ chat: before })
    t.teardown(() => model.close())
    const repository = createGitRepository(join(root, 'remotes', 'shop.git'), { files: FAR_CAUSE })
    const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ALLOW_LOCAL_REPOS: join(root, 'remotes') }
    const first = await startServerProcess(root, env, INLINE_SERVER)
    t.teardown(() => first.end('SIGKILL')) // where the test ended before it did
    await call(first.url, '/clone?wait=60', { url: repository.dir, project_name: 'shop' })
    const { id } = await call(first.url, '/resolve', {
      project_name: 'shop',
      stacktrace: FAR_TRACE,
      investigate: true,
    })
    await model.waitForRequest(before.length)
    const entriesOf = async (url: string, kind: string): Promise<unknown[]> => {
      const { data } = (await (await fetch(`${url}/jobs/${id}/transcript`)).json()) as { data: Array<{ kind: string }> }
      return data.filter(one => one.kind === kind)
    }
    t.ok(await eventually(async () => (await entriesOf(first.url, 'tool')).length === before.length - 1))
    await first.end('SIGKILL')
    model.push(...after)
    const second = await startServerProcess(root, env, INLINE_SERVER)
    try {
      const job = await until<ResolutionAnswer[]>(second.url, id, ({ status }) => status === 'succeeded')
      t.match(job, { status: 'succeeded' }, JSON.stringify(job.error))
      const [resolution] = job.result
      const names = [...before, ...after].filter(reply => reply.toolCalls !== undefined).length
      t.match(resolution, { answer_status: 'ok', investigation: { ended_by: 'answer', model_calls: names + 1 } })
      t.equal(resolution?.investigation?.steps.length, names)
      t.equal(model.requests.length, before.length + after.length, 'only what hung is asked again')
      t.equal((await entriesOf(second.url, 'tool')).length, names, 'each look was made once')
    } finally {
      await second.end('SIGTERM')
    }
  })
}
