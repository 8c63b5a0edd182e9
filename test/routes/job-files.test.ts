import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { buildApp } from '../helpers/build-app.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

async function runJob(t: Test, run: (context: JobContext) => Promise<unknown>, env = {}) {
  const built = await buildApp(t, { env, definitions: { generate: scriptedJob(run) } })
  const { id } = await built.services.jobs.settled(
    (await built.services.jobs.create('generate', { prompt: 'a snake game' }, { keyName: 'ada' })).job.id,
    10_000,
  )
  return {
    ...built,
    id,
    get: (path: string) => built.app.inject(`/jobs/${id}${path}`),
    blobs: join(built.root, 'data', 'workspaces', id, 'files'),
  }
}

const FILES = new Map<string, string | Uint8Array>([
  ['run.sh', 'echo hi\n'],
  ['src/größe 1.py', 'print("✓")\n'],
  [`${'deep/'.repeat(30)}data.bin`, Buffer.from([0, 255, 10, 13])],
  ['empty', ''],
])

test('files of a job are listed, read one by one and as an archive that unpacks to the same bytes', async t => {
  const { get, root } = await runJob(t, async ({ files, step }) => {
    await step('write', () => files.put(FILES))
    await step('change', () =>
      files.put(
        new Map([
          ['run.sh', 'echo changed\n'],
          ['gone', 'x'],
        ]),
      ),
    )
    await step('remove', () => files.put(new Map([['gone', null]])))
    return await files.list()
  })
  const want = new Map([...FILES, ['run.sh', 'echo changed\n']])
  const listed = (await get('/files')).json().data as Array<{ path: string; bytes: number; sha256: string }>
  t.same(
    listed.map(({ path }) => path),
    [...want.keys()].sort(),
  )
  for (const [path, content] of want) {
    const res = await get(`/files/${path.split('/').map(encodeURIComponent).join('/')}`)
    t.same(res.rawPayload, Buffer.from(content), path)
    t.match(res.headers, {
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'content-disposition': /^attachment; /,
    })
  }
  t.match((await get('/files/gone')).json(), { code: 'NOT_FOUND' })
  t.equal((await get('/files/..%2f..%2fjobs.sqlite')).statusCode, 404)

  const archive = await get('/archive')
  t.match(archive.headers, {
    'content-type': 'application/octet-stream',
    'content-disposition': /attachment; filename=".*\.tar\.gz"/,
    'content-security-policy': 'sandbox',
  })
  const out = join(root, 'unpacked')
  mkdirSync(out)
  execFileSync('tar', ['xzf', '-', '-C', out], { input: archive.rawPayload })
  for (const [path, content] of want) t.same(readFileSync(join(out, path)), Buffer.from(content), path)
  t.equal(readdirSync(out, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).length, want.size)
  t.equal(statSync(join(out, 'run.sh')).mode & 0o777, 0o644)
})

test('a set of files with one that cannot be is refused whole', async t => {
  const refused: unknown[] = []
  const { get } = await runJob(t, async ({ files }) => {
    await files.put(new Map([['a', '1']]))
    for (const bad of ['../x', '/etc/passwd', 'a/b', 'b/.git/config', 'x\0y', './c', 'C:\\x']) {
      await files
        .put(
          new Map([
            ['fine', '1'],
            [bad, '2'],
          ]),
        )
        .catch(error => {
          refused.push(error)
        })
    }
    await files.put(new Map([['large', Buffer.alloc(10 * 1024 * 1024 + 1)]])).catch(error => {
      refused.push(error)
    })
  })
  t.match(refused, [...Array.from({ length: 7 }, () => ({ code: 'BAD_PATH' })), { code: 'PAYLOAD_TOO_LARGE' }])
  t.same(
    (await get('/files')).json().data.map(({ path }: { path: string }) => path),
    ['a'],
  )
})

test('bytes that were changed on the disk, or replaced by a link or a pipe, are never given', async t => {
  const { get, blobs, logged } = await runJob(t, async ({ files }) => {
    await files.put(
      new Map([
        ['a', 'one'],
        ['b', 'two'],
        ['c', 'three'],
      ]),
    )
  })
  const [a, b, c] = (await get('/files')).json().data.map(({ sha256 }: { sha256: string }) => join(blobs, sha256))
  writeFileSync(a, 'two')
  rmSync(b)
  symlinkSync('/etc/hostname', b)
  rmSync(c)
  execFileSync('mkfifo', [c])
  for (const path of ['/files/a', '/files/b', '/files/c']) {
    t.match((await get(path)).json(), { status: 409, code: 'DATA_DAMAGED' }, path)
  }
  t.match((await get('/archive')).json(), { status: 409, code: 'DATA_DAMAGED' })
  t.notMatch(JSON.stringify(logged), /two/)
})

test('diff, patch and transcript are there when the job has them, and say 404 when not', async t => {
  const { get, app, services, id } = await runJob(t, async ({ step, ask, record, setDiff, setPatch }) => {
    await step('ask-model', async () => {
      await record({
        kind: 'messages',
        model: 'm',
        prompts: [{ name: 'improve', sha256: 'ab' }],
        messages: [{ role: 'user', content: 'x'.repeat(50_000) }],
        redactions: 2,
      })
      await record({
        kind: 'reply',
        model: 'm',
        text: 'do <b>this</b>\n',
        finishReason: 'stop',
        usage: { llmCalls: 1, promptTokens: 2, completionTokens: 3, usd: null },
      })
      await setDiff('--- a\n+++ b\n')
    })
    await ask('run', { kind: 'confirm_run', command: 'bash run.sh', files: [] })
    await step(
      'run',
      async () =>
        await record({
          kind: 'command',
          argv: ['bash', 'run.sh'],
          exitCode: 2,
          signal: null,
          stdout: 'out',
          stderr: 'err',
          timedOut: false,
          durationMs: 5,
          sandboxed: true,
        }),
    )
    await setPatch('From 0000\n')
  })
  t.equal((await get('/diff')).body, '--- a\n+++ b\n')
  t.match((await get('/diff')).headers, { 'content-type': /^text\/x-diff/, 'content-disposition': /attachment/ })
  t.match((await get('/patch')).json(), { status: 404, code: 'NOT_FOUND' })
  t.match((await get('/archive')).json(), { status: 404 })
  t.equal(
    (await app.inject({ method: 'POST', url: `/jobs/${id}/reply?wait=10`, body: { decision: 'approve' } })).json()
      .status,
    'succeeded',
  )
  t.equal((await get('/patch')).body, 'From 0000\n')
  const { data } = (await get('/transcript')).json()
  t.same(
    data.map(({ kind }: { kind: string }) => kind),
    ['created', 'messages', 'reply', 'question', 'answer', 'command'],
  )
  t.match(data, [
    { key_name: 'ada', type: 'generate', body: { prompt: 'a snake game' }, step: null },
    {
      step: 'ask-model',
      model: 'm',
      prompts: [{ name: 'improve', sha256: 'ab' }],
      messages: [{ content: /^x{50000}$/ }],
      redactions: 2,
    },
    { step: 'ask-model', text: 'do <b>this</b>\n', finish_reason: 'stop', usage: { llm_calls: 1 } },
    { step: 'run', request: { kind: 'confirm_run', command: 'bash run.sh' } },
    { step: 'run', key_name: null, reply: { decision: 'approve' } },
    { step: 'run:1', argv: ['bash', 'run.sh'], exit_code: 2, sandboxed: true },
  ])
  for (const path of ['files', 'archive', 'diff', 'patch', 'transcript', 'files/a']) {
    t.equal((await app.inject(`/jobs/nope/${path}`)).statusCode, 404, path)
  }
  services.jobs.stop()
})

test('a retry from a step keeps the files and the diff as they were before it', async t => {
  const { services, id } = await runJob(t, async ({ step, files, setDiff }) => {
    await step('first', async () => {
      await files.put(
        new Map([
          ['a', 'one'],
          ['b', 'one'],
        ]),
      )
      await setDiff('first')
    })
    const seen = await step('second', async () => {
      const before = String(await files.read('a'))
      await files.put(
        new Map([
          ['a', 'two'],
          ['b', null],
        ]),
      )
      await setDiff('second')
      return before
    })
    return { seen }
  })
  const { jobs } = services
  t.same(
    [(await jobs.files(id)).length, String(await jobs.readFile(id, 'a')), await jobs.text(id, 'diff')],
    [1, 'two', 'second'],
  )
  const again = await jobs.settled((await jobs.retry(id, {}, { fromStep: 'second' })).job.id, 10_000)
  t.match(again, { status: 'succeeded', result: { seen: 'one' } })
  await jobs.remove(id)
  t.equal(String(await jobs.readFile(again.id, 'a')), 'two', 'and they are its own')
})

test('a workspace is empty at each run and gone when the body has ended; the folder of a job goes with the job', async t => {
  let dir = ''
  const { services, id, root } = await runJob(t, async ({ workspace, files }) => {
    await files.put(new Map([['a', 'x']]))
    writeFileSync(join(await workspace('run'), 'left'), 'x')
    dir = await workspace('run')
    return readdirSync(dir)
  })
  t.same((await services.jobs.get(id)).result, [])
  t.throws(() => statSync(dir), { code: 'ENOENT' })
  const folder = join(root, 'data', 'workspaces', id)
  t.same(readdirSync(folder), ['files'])
  await services.jobs.remove(id)
  t.throws(() => statSync(folder), { code: 'ENOENT' })
})
