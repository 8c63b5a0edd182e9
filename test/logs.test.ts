import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type Test } from 'tap'
import { CHILD_ENV } from './helpers/child-env.ts'
import { createShop } from './helpers/sample-repository.ts'
import { INLINE_SERVER } from './helpers/server-process.ts'
import { testFolder } from './helpers/test-folder.ts'

type Line = Record<string, unknown> & { msg: string }

/** A server whose log is read line by line. */
async function startLogged(t: Test, env: Record<string, string> = {}) {
  const root = testFolder(t)
  mkdirSync(join(root, 'repos'))
  const child = spawn(process.execPath, [INLINE_SERVER], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...CHILD_ENV,
      HOME: root,
      PORT: '0',
      DATA_DIR: join(root, 'data'),
      VECTOR_STORE_DIR: join(root, 'vector_store'),
      CLONED_REPOS_DIR: join(root, 'cloned_repos'),
      ALLOW_LOCAL_REPOS: join(root, 'repos'),
      ...env,
    },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    lines.push(JSON.parse(line) as Line)
  })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const url = /listens on (\S+);/.exec(line)?.[1]
    if (url === undefined) continue
    child.stderr.resume()
    return { root, url, lines, child, closed: once(child, 'close') }
  }
  throw new Error(`the server did not start: ${said.join(' ')}`)
}

test('jobs are logged with their begin, end, code and request, and a stop with what it waits for', async t => {
  const { root, url, lines, child, closed } = await startLogged(t)
  const { dir } = createShop(join(root, 'repos', 'shop.git'))
  const clone = async (body: object) => {
    const res = await fetch(`${url}/clone?wait=60`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { id: ((await res.json()) as { id: string }).id, reqId: res.headers.get('x-request-id') }
  }
  const good = await clone({ url: dir })
  const bad = await clone({ url: dir, branch: 'no-such-branch' })
  child.kill('SIGTERM')
  t.same(await closed, [0, null])

  const of = ({ id }: { id: string }) => lines.filter(line => line.job === id)
  const about = { type: 'clone', project: 'shop' }
  t.match(of(good), [
    { msg: 'job begins', ...about, reqId: good.reqId },
    { msg: 'job succeeded', ...about, reqId: good.reqId, status: 'succeeded', code: null, duration_ms: Number },
  ])
  t.match(of(bad), [
    { msg: 'job begins', reqId: bad.reqId },
    { msg: 'job failed', reqId: bad.reqId, status: 'failed', code: 'BRANCH_NOT_FOUND' },
  ])
  t.match(lines.at(-2), {
    why: 'SIGTERM',
    jobs: 0,
    msg: /^stopping \(SIGTERM\): 0 running jobs go back into the queue/,
  })
  t.match(lines.at(-1), { msg: 'stopped', duration_ms: Number })
})

test('LOG_LEVEL leaves out what is below, and a key without a model is named at the start', async t => {
  const { url, lines, child, closed } = await startLogged(t, { LOG_LEVEL: 'warn', OPENAI_API_KEY: 'lies-around' })
  t.equal((await fetch(`${url}/nope`)).status, 404)
  child.kill('SIGINT')
  t.same(await closed, [0, null])
  t.ok(lines.every(({ level }) => Number(level) >= 40))
  t.match(
    lines.find(({ msg }) => /OPENAI/.test(msg)),
    { msg: /^OPENAI_API_KEY is set, but no model is named: .*Set LLM_MODEL\.$/ },
  )
})
