import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { SHOP_LOG } from '../helpers/ci-logs.ts'
import { actionUser } from '../helpers/action-user.ts'
import { CI_KEY } from '../helpers/keyed-shop.ts'
import { workflowCommands } from '../helpers/workflow-commands.ts'

/** A server that answers everything in one way; counts what it was asked. */
async function fakeServer(t: Test, answer: (body: Buffer) => { status: number; body?: string; fault?: string }) {
  const sizes: number[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces)
      sizes.push(body.length)
      const { status, body: text = '', fault = 'project' } = answer(body)
      response.writeHead(status, { 'Faultline-Fault': fault, 'Faultline-Resolutions': '' }).end(text)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sizes }
}

test('a step that uses the action, where something is wrong', async t => {
  const shop = await actionUser(t)

  await t.test('whatever goes wrong is one sentence, and the step does not fail for it', async t => {
    const { use, url } = shop
    const { url: tooOld } = await fakeServer(t, () => ({ status: 406 }))
    const { url: tooSmall } = await fakeServer(t, () => ({ status: 413 }))
    for (const [inputs, sentence] of [
      [{ server: 'http://127.0.0.1:9' }, 'No Faultline server answered at http://127.0.0.1:9.'],
      [{ 'api-key': 'guessed' }, `The server at ${url} refused the API key (HTTP 401).`],
      [{ 'api-key': '' }, `The server at ${url} refused the API key (HTTP 401).`],
      [{ project: 'none' }, `The server at ${url} has no project none, or the key may not see it (HTTP 404).`],
      [{ locale: '%%%' }, `The server at ${url} refused the request (HTTP 400): check the inputs.`],
      [{ server: tooOld }, `The server at ${tooOld} is of a release that does not report to CI (HTTP 406).`],
      [{ server: tooSmall }, `The log is too big for the server at ${tooSmall}, even shortened (HTTP 413).`],
      [{ server: 'file:///etc/passwd' }, 'No Faultline server answered at file:///etc/passwd.'],
      [{ server: '' }, 'No server or no project is named; nothing was sent.'],
      [{ log: 'none.log' }, 'There is no log none.log; nothing was sent.'],
      [{ log: '' }, 'There is no log (none is named); nothing was sent.'],
      [{ 'fail-on': 'sometimes' }, 'fail-on is one of never, project, any and error.'],
    ] as const) {
      const { exitCode, output, outputs, summary } = await use(SHOP_LOG, inputs)
      t.equal(exitCode, 0, sentence)
      t.strictSame(workflowCommands(output), [
        { command: 'warning', properties: { title: 'Faultline' }, data: sentence },
      ])
      t.equal(outputs.fault, '')
      t.equal(summary, '')
    }
    t.match((await use('')).output, /The log test\.log is empty; nothing was sent\./)
  })

  await t.test('a server that never answers is given up when the time is over, and not asked again', async t => {
    let asked = 0
    const server = createServer(() => asked++)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { exitCode, output } = await shop.use(SHOP_LOG, { server: url, timeout: '1' })
    t.equal(exitCode, 0)
    t.match(workflowCommands(output), [{ data: `The server at ${url} gave no answer within 1 s.` }])
    t.equal(asked, 1)
  })

  await t.test('a file that cannot be written is one sentence, and what was found is shown all the same', async t => {
    const { use, folder } = shop
    for (const [input, file] of [
      ['sarif-file', 'none/faultline.sarif'],
      ['comment-file', 'none/comment.md'],
    ] as const) {
      const { exitCode, output, stderr, outputs } = await use(SHOP_LOG, { [input]: file, mode: 'context' })
      t.equal(exitCode, 0, stderr)
      t.equal(stderr, '')
      t.match(output, `::warning title=Faultline::${file} could not be written.\n`)
      t.match(output, /^::error file=/m)
      t.equal(outputs.fault, 'project')
    }
    const { exitCode, output } = await use(SHOP_LOG, {}, { TMPDIR: join(folder, 'none') })
    t.equal(exitCode, 0)
    t.match(workflowCommands(output), [{ data: 'There is no place for temporary files; nothing was sent.' }])

    const broken = join(folder, 'broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'cat'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const unforeseen = await use(SHOP_LOG, {}, { PATH: `${broken}:${process.env.PATH}` })
    t.equal(unforeseen.exitCode, 0)
    t.match(workflowCommands(unforeseen.output), [{ data: 'The report could not be finished.' }])
  })

  await t.test('of a log that is too long both ends are sent, and bytes that are no text do not matter', async t => {
    const { use } = shop
    const [first = '', second = ''] = SHOP_LOG.split('\n\n')
    const middle = Buffer.alloc(300_000, 'step\n')
    const notText = Buffer.from([0xff, 0xfe, 10])
    const log = Buffer.concat([notText, Buffer.from(`${first}\n`), middle, Buffer.from(`\n${second}\n`)])
    const { output } = await use(log, {}, { FAULTLINE_MAX_BYTES: '100000' })
    t.equal(output.match(/^::error /gm)?.length, 2, output)

    const { url, sizes } = await fakeServer(t, ({ length }) => (length > 1_000_000 ? { status: 413 } : { status: 200 }))
    await use(Buffer.alloc(9_000_000, 'step\n'), { server: url })
    t.ok((sizes[0] ?? 0) > 7_900_000 && (sizes[0] ?? 0) < 8_000_100, 'first as much as the server takes')
    t.ok(
      sizes.slice(1).every(size => size < 900_100),
      'then what a proxy takes by default',
    )
  })

  await t.test('of an answer only annotations reach the runner', async t => {
    const { url } = await fakeServer(t, () => ({
      status: 200,
      fault: 'x$(id)',
      body: '::add-mask::a\n::set-output name=b::c\n##[set-env name=d]e\n::errors ::x\n::error title=T::one\n::stop-commands::f\n',
    }))
    const { use } = shop
    const { output, outputs, exitCode } = await use(SHOP_LOG, { server: url })
    t.equal(exitCode, 0)
    t.equal(output, '::error title=T::one\n')
    t.equal(outputs.fault, '')
  })

  await t.test('a hostile log and hostile inputs are data', async t => {
    const { use, folder } = shop
    const evil = '$(touch hacked) `touch hacked` "; touch hacked; \' ::stop-commands::x\n::add-mask::y\n'
    const { output, summary } = await use(`${evil}${SHOP_LOG.replaceAll('division by zero', evil)}`, {
      model: evil,
      ref: evil,
      'api-key': `${CI_KEY}\n`,
      mode: 'context',
    })
    t.ok(
      workflowCommands(output).every(({ command }) => /^(?:error|warning|notice)$/.test(command)),
      output,
    )
    t.notMatch(summary, /^::/m)
    for (const name of ['hacked', 'runner-temp/hacked']) t.throws(() => readFileSync(join(folder, name)), name)
  })
})
