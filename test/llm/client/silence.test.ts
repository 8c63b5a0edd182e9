import { once } from 'node:events'
import { test } from 'tap'
import { Silence } from '../../../src/llm/client/silence.ts'

const LONG = 60_000

test('a stream that never begins is given up after the first limit', async t => {
  using silence = new Silence({ firstTokenTimeoutMs: 5, tokenTimeoutMs: LONG })
  await once(silence.signal, 'abort')
  t.match(silence.signal.reason, { kind: 'unavailable', message: /no token within 0\.005 s/, mayCost: true })
})

test('after a token only the silence between tokens counts', async t => {
  using silence = new Silence({ firstTokenTimeoutMs: LONG, tokenTimeoutMs: 5 })
  silence.tokenArrived()
  silence.tokenArrived()
  await once(silence.signal, 'abort')
  t.match(silence.failure().message, /no further token within 0\.005 s/)
})

test('a stream that has ended is not watched any more', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  for (const tokens of [0, 1, 2]) {
    const silence = new Silence({ firstTokenTimeoutMs: LONG, tokenTimeoutMs: LONG })
    t.equal(timers(), before + 1)
    for (let token = 0; token < tokens; token++) silence.tokenArrived()
    t.equal(timers(), before + 1, 'a token leaves no second clock')
    silence[Symbol.dispose]()
    t.equal(timers(), before, `after ${tokens} tokens`)
    t.equal(silence.signal.aborted, false)
  }
})
