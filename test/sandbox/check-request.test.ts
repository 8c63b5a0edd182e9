import { test } from 'tap'
import { checkRequest } from '../../src/sandbox/check-request.ts'
import type { RunRequest } from '../../src/sandbox/run.ts'

type Checked = Pick<RunRequest, 'argv' | 'network' | 'readyWhen'>

const refused = (request: Checked) => {
  try {
    checkRequest(request)
    return null
  } catch (error) {
    return error
  }
}

test('a command that can be started passes', async t => {
  t.equal(refused({ argv: ['ls', '-l', ''] }), null)
  t.equal(refused({ argv: ['serve'], readyWhen: { port: 8000, output: 'listening' } }), null)
})

test('a command without a program, with NUL or too long is refused', async t => {
  for (const argv of [[], [''], ['ls', 'a\0b']]) {
    t.match(refused({ argv }), { code: 'VALIDATION_FAILED', message: /needs a program/ })
  }
  const long = 'x'.repeat(128 * 1024)
  t.match(refused({ argv: ['ls', long] }), { message: /too long/ })
  t.match(refused({ argv: ['ls', ...Array.from({ length: 9 }, () => long.slice(1))] }), { message: /too long/ })
})

test('what no program can meet is refused', async t => {
  for (const [readyWhen, message] of [
    [{}, /needs a port or an output/],
    [{ port: 0 }, /0 is no port/],
    [{ port: 65_536 }, /is no port/],
    [{ port: 1.5 }, /is no port/],
    [{ output: '' }, /empty or too long/],
    [{ output: 'x'.repeat(1001) }, /empty or too long/],
  ] as const) {
    t.match(refused({ argv: ['serve'], readyWhen }), { code: 'VALIDATION_FAILED', message })
  }
})

test('the port of the registry proxy is taken in a run that has one', async t => {
  const readyWhen = { port: 3128 }
  t.match(refused({ argv: ['serve'], readyWhen, network: 'registries' }), { message: /registry proxy/ })
  t.equal(refused({ argv: ['serve'], readyWhen, network: 'none' }), null)
})
