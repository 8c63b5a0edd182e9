import { stripVTControlCharacters } from 'node:util'
import { test } from 'tap'
import { createLogger } from '../../src/services/logger.ts'

function collect(isTTY: boolean) {
  const lines: string[] = []
  const output = {
    isTTY,
    write: (text: string) => {
      lines.push(text)
    },
  }
  return { lines, output }
}

test('on a terminal a line is for people, elsewhere a JSON object', async t => {
  const terminal = collect(true)
  const log = await createLogger({ logLevel: 'info' }, terminal.output)
  log.info({ job: 'j1', status: 'succeeded' }, 'job succeeded')
  t.equal(terminal.lines.length, 1, 'there when the call returns')
  const shown = stripVTControlCharacters(terminal.lines.join(''))
  t.match(shown, /^\[\d\d:\d\d:\d\d\] INFO: job succeeded \{"job":"j1","status":"succeeded"\}\n$/)

  const file = collect(false)
  const plain = await createLogger({ logLevel: 'info' }, file.output)
  plain.info({ job: 'j1' }, 'job succeeded')
  t.match(JSON.parse(file.lines.join('')), { level: 30, job: 'j1', msg: 'job succeeded' })
})

test('what is below LOG_LEVEL is left out', async t => {
  for (const [logLevel, kept] of [
    ['trace', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ] as const) {
    for (const isTTY of [false, true]) {
      const { lines, output } = collect(isTTY)
      const log = await createLogger({ logLevel }, output)
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level)
      t.equal(lines.length, kept, `${logLevel} ${isTTY}`)
    }
  }
})

test('keys, queries and secrets in errors are left out, whoever reads', async t => {
  for (const isTTY of [false, true]) {
    const { lines, output } = collect(isTTY)
    const log = await createLogger({ logLevel: 'info' }, output)
    log.info({ req: { method: 'GET', url: '/jobs?q=hunter2', headers: { authorization: 'Bearer hunter2' } } }, 'in')
    log.info({ some: { token: 'hunter2', apiKey: 'hunter2' } }, 'on')
    log.error({ err: new Error('refused: Authorization: Bearer sk-proj-abcdefghijklmnopqrstuvwxyz0123456789') }, 'out')
    t.notMatch(lines.join(''), /hunter2|abcdefghij/)
    t.match(lines.join(''), /\/jobs/)
  }
})
