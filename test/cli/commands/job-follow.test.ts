import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { eventually } from '../../helpers/processes.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

/** A process that runs jobs in folders that commands find. */
async function holder(t: Test, run: (context: JobContext) => Promise<unknown>) {
  const root = testFolder(t)
  const built = await buildApp(t, { root, definitions: { environment: scriptedJob(run) } })
  const data = [
    ...['--data-dir', join(root, 'data')],
    ...['--vector-store-dir', join(root, 'vector_store')],
    ...['--cloned-repos-dir', join(root, 'cloned_repos')],
  ]
  const create = async () => (await built.services.jobs.create('environment', {})).job.id
  return { ...built, data, cli: createCli(root), create }
}

/** Waits until the program has said something on stderr. */
function says({ stderr }: ChildProcess, text: string): Promise<boolean> {
  let said = ''
  stderr?.on('data', chunk => {
    said += String(chunk)
  })
  return eventually(() => said.includes(text))
}

async function askingJob({ step, ask, progress, log, token }: JobContext): Promise<unknown> {
  await step('think', async () => {
    progress({ step: 'think', done: 0, total: null, message: 'about it' })
    token('Some wo')
    token('rds')
    log('a sentence\u001b[31m')
    log('printed\n', 'stdout')
  })
  const colour = await ask('colour', { kind: 'clarification', question: 'Which colour?' })
  await step('paint', async () => {
    progress({ step: 'paint', done: 1, total: 2, message: 'the wall' })
    log('it is painted')
  })
  return { install: 'answer' in colour ? colour.answer : 'none' }
}

test('a job is shown from its beginning, asks on the terminal and ends as its own command would', async t => {
  const built = await holder(t, askingJob)
  const url = await listen(t, built)
  built.services.announce(url)
  const id = await built.create()
  const followed = await built.cli.converse(
    ['jobs', 'follow', id, ...built.data],
    [[/Which colour\?[^]*Your answer/, 'green']],
  )
  t.match(followed, { exitCode: EXIT.done, asked: 1, stdout: new RegExp(`^Job +${id}\n[^]*succeeded`) })
  const order = [
    'Using the server at',
    'think: about it\n',
    'Some words\n',
    'a sentence\\u001B[31m\n',
    'printed\n',
    'Which colour?',
    'paint: the wall\n',
    'it is painted\n',
  ]
  const places = order.map(text => followed.stderr.toLowerCase().indexOf(text.toLowerCase()))
  t.strictSame(
    places,
    places.toSorted((a, b) => a - b),
    followed.stderr,
  )
  t.notOk(places.includes(-1), followed.stderr)
  const again = await built.cli.call(['jobs', 'follow', id, '--json', ...built.data])
  t.match(JSON.parse(again.stdout), { id, status: 'succeeded', result: { install: 'green' } })
  t.equal(again.exitCode, EXIT.done)
})

test('a question that is asked between two looks at the job is asked on the terminal', async t => {
  const gate = Promise.withResolvers<void>()
  const built = await holder(t, async context => {
    await context.step('wait', () => gate.promise)
    return askingJob(context)
  })
  const id = await built.create()
  const url = await listen(t, built)
  let looks = 0
  const between = createServer(async (request, response) => {
    const { 'content-type': type = '', accept = '*/*' } = request.headers
    const { status, headers, body } = await fetch(`${url}${request.url}`, {
      method: request.method,
      headers: { 'content-type': type, accept },
      body: request.method === 'POST' ? await text(request) : null,
    })
    if (request.url === `/jobs/${id}` && ++looks === 1) {
      gate.resolve()
      await built.services.jobs.settled(id, 10_000)
    }
    response.writeHead(status, Object.fromEntries(headers))
    if (body !== null) await pipeline(body, response).catch(() => {}) // a question ends the stream of events
  }).listen(0, '127.0.0.1')
  t.teardown(() => between.closeAllConnections())
  t.teardown(() => between.close())
  await once(between, 'listening')
  const { port } = between.address() as AddressInfo
  const args = ['jobs', 'follow', id, '--server', `http://127.0.0.1:${port}`]
  const followed = await built.cli.converse(args, [[/Which colour\?[^]*Your answer/, 'green']])
  t.match(followed, { exitCode: EXIT.done, asked: 1, stdout: /succeeded/ }, followed.stderr)
})

test('without a terminal it says what is asked and how to answer', async t => {
  const built = await holder(t, askingJob)
  const id = await built.create()
  await built.services.jobs.settled(id, 10_000)
  t.match(await built.cli.call(['jobs', 'follow', id, ...built.data]), {
    exitCode: EXIT.failed,
    stdout: '',
    stderr: new RegExp(`waits for a reply.*Which colour\\?\nfix: faultline jobs reply ${id} "your answer"`),
  })
  t.match(await built.cli.call(['jobs', 'follow', 'nope', ...built.data]), { exitCode: EXIT.usage })
})

test('the job of another command is followed while that one runs it, and cannot be answered beside it', async t => {
  const gate = Promise.withResolvers<void>()
  const built = await holder(t, async context => {
    context.log('it began')
    await context.step('wait', () => gate.promise)
    context.log('it went on')
    return askingJob(context)
  })
  const id = await built.create()
  const child = built.cli.start(['jobs', 'follow', id, ...built.data])
  t.ok(await says(child, 'it began'))
  gate.resolve()
  t.match(await child.finished, { exitCode: EXIT.failed, stderr: /it went on[^]*waits for a reply/ })
  t.match(await built.cli.converse(['jobs', 'follow', id, ...built.data], [[/Your answer/, 'green']]), {
    exitCode: EXIT.missing,
    stderr: /it went on[^]*Another Faultline process uses this DATA_DIR: faultline, process/,
  })
})

test('a job that failed ends with its error', async t => {
  const built = await holder(t, async () => {
    throw new Error('broken')
  })
  const id = await built.create()
  await built.services.jobs.settled(id, 10_000)
  t.match(await built.cli.call(['jobs', 'follow', id, ...built.data]), { exitCode: EXIT.failed, stderr: /faultline: / })
})

test('Ctrl-C leaves the job running and says so', async t => {
  const gate = Promise.withResolvers<void>()
  const built = await holder(t, async context => {
    context.log('it began')
    await context.step('wait', () => gate.promise)
    return {}
  })
  const url = await listen(t, built)
  const id = await built.create()
  const child = built.cli.start(['jobs', 'follow', id, '--server', url])
  t.ok(await says(child, 'it began'))
  child.kill('SIGINT')
  const { exitCode, stderr } = await child.finished
  t.equal(exitCode, EXIT.interrupted)
  t.match(stderr, new RegExp(`The job goes on; "faultline jobs follow ${id}" shows it again`))
  t.equal((await built.services.jobs.get(id)).status, 'running')
  gate.resolve()
})

test('a job that no process works on is not waited for', async t => {
  const built = await holder(t, async ({ step, signal }) =>
    step('wait', async () => {
      if (!signal.aborted) await once(signal, 'abort')
      throw signal.reason
    }),
  )
  const id = await built.create()
  t.ok(await eventually(async () => (await built.services.jobs.get(id)).status === 'running'))
  await built.close()
  t.match(await built.cli.call(['jobs', 'follow', id, ...built.data]), {
    exitCode: EXIT.failed,
    stderr: /is queued, and no process is there that would go on with it\.\nfix: "faultline serve"/,
  })
})
