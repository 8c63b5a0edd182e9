import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type Test } from 'tap'
import { startModelServer } from './fakes/model-server.ts'
import { CHILD_ENV } from './helpers/child-env.ts'
import { INLINE_SERVER } from './helpers/server-process.ts'
import { openFolder } from './helpers/sandbox.ts'

const DISK_BYTES = 64 * 1_048_576
const BWRAP = '/usr/bin/bwrap'

function lacking(): string | undefined {
  const args = ['--dev-bind', '/', '/', '--size', '1048576', '--tmpfs', '/mnt', '/usr/bin/true']
  try {
    execFileSync(BWRAP, args, { stdio: 'ignore' })
    return undefined
  } catch {
    return 'bubblewrap cannot make a small file system here; test/jobs/full-disk.test.ts needs none'
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** A server whose data folders lie on a file system of 64 MiB of its own. */
async function startOnSmallDisk(t: Test, env: Record<string, string>, nodeArgs: readonly string[] = []) {
  const disk = join(openFolder(t), 'disk')
  mkdirSync(disk)
  const child = spawn(
    BWRAP,
    [
      ...['--die-with-parent', '--dev-bind', '/', '/', '--size', String(DISK_BYTES), '--tmpfs', disk],
      ...['--chdir', disk, process.execPath, ...nodeArgs, INLINE_SERVER],
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...CHILD_ENV,
        HOME: disk,
        PORT: '0',
        LOG_LEVEL: 'silent',
        SANDBOX: 'none',
        DISK_RESERVE_MB: '4',
        DATA_DIR: join(disk, 'data'),
        VECTOR_STORE_DIR: join(disk, 'vector_store'),
        CLONED_REPOS_DIR: join(disk, 'cloned_repos'),
        ...env,
      },
    },
  )
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const url = /listens on (\S+);/.exec(line)?.[1]
    if (url === undefined) continue
    child.stderr.resume()
    const [pid = child.pid] = childrenOf(child.pid ?? 0)
    return { url, folder: join('/proc', String(pid), 'root', disk) }
  }
  throw new Error(`the server did not start: ${said.join(' ')}`)
}

/** Writes until nothing more can be written. */
function fill(file: string): void {
  for (const bytes of [65_536, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes, 1))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}

test(
  'a disk that fills up while a model is asked: nothing is lost, cancel and deletion work',
  { skip: lacking() },
  async t => {
    const gate = Promise.withResolvers<undefined>()
    const otherwise = { text: '**main.py**\n```python\nprint(1)\n```\n', slowTokensUntil: gate.promise }
    const model = await startModelServer({ otherwise })
    t.teardown(() => model.close())
    const { url, folder } = await startOnSmallDisk(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
    const call = async (method: string, path: string, body?: object) => {
      const res = await fetch(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
      const text = await res.text()
      return { status: res.status, json: text === '' ? null : JSON.parse(text) }
    }
    const generate = { prompt: 'A program', execute: 'never', mode: 'lite' }
    t.match(await call('GET', '/ready'), { json: { disk: 'ok' } })
    const { id } = (await call('POST', '/generate', generate)).json
    const other = (await call('POST', '/generate', generate)).json.id
    await model.waitForRequest(2)
    fill(join(folder, 'filler'))
    t.match(await call('GET', '/ready'), { status: 200, json: { ready: false, disk: 'full' } })
    t.match(await call('POST', '/generate', generate), { status: 507, json: { code: 'DISK_FULL' } })
    t.match(await call('POST', `/jobs/${other}/cancel`), { status: 202, json: { status: 'cancelled' } })
    t.match(await call('DELETE', `/jobs/${other}`), { status: 204 })
    gate.resolve(undefined)
    fill(join(folder, 'filler')) // what was set aside and given up goes, too
    t.match(await call('GET', `/jobs/${id}?wait=1`), { status: 200 })
    rmSync(join(folder, 'filler'))
    let job = (await call('GET', `/jobs/${id}`)).json
    while (job.status === 'running' || job.status === 'queued') job = (await call('GET', `/jobs/${id}?wait=10`)).json
    t.match(job, { status: 'succeeded', usage: { llm_calls: Number } })
    t.match((await call('GET', `/jobs/${id}/files`)).json.data, [{ path: 'main.py' }])
    const calls = model.requests.filter(request => request.path.endsWith('/chat/completions')).length
    t.equal(job.usage.llm_calls, calls - 1, 'the other call was cancelled, and none was made twice')
    t.match(await call('GET', '/ready'), { json: { ready: true, disk: 'ok' } })
    t.ok(existsSync(join(folder, 'data', '.disk-reserve')), 'room is set aside again')
    t.same(
      readdirSync(join(folder, 'data')).filter(name => name.endsWith('.tmp')),
      [],
    )
  },
)

/** Before the server starts in this process: room set aside by an earlier run, and a disk that is full but for that. */
const filledBefore = (reserveBytes: number) => [
  `--import=data:text/javascript,${encodeURIComponent(`
    import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
    mkdirSync('data')
    if (${reserveBytes} > 0) writeFileSync('data/.disk-reserve', Buffer.alloc(${reserveBytes}, 1))
    for (const bytes of [65536, 1]) try { for (;;) appendFileSync('filler', Buffer.alloc(bytes, 1)) } catch {}
  `)}`,
]

test('on a disk that is full a server starts with the room that was set aside', { skip: lacking() }, async t => {
  const { url } = await startOnSmallDisk(t, { DISK_RESERVE_MB: '16' }, filledBefore(8 * 1_048_576))
  const ready = await fetch(`${url}/ready`)
  t.match(await ready.json(), { ready: false, disk: 'full' })
  t.match(await (await fetch(`${url}/projects`)).json(), { data: [] }, 'so that something can be deleted')
})

test('where no room was set aside, it says what is full and what to do', { skip: lacking() }, async t => {
  await t.rejects(startOnSmallDisk(t, {}, filledBefore(0)), {
    message: /did not start: faultline: The disk that holds DATA_DIR=\S+data is full.* Free some megabytes/,
  })
})
