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
  const silence = new Silence({ firstTokenTimeoutMs: LONG, tokenTimeoutMs: LONG })
  silence[Symbol.dispose]()
  t.equal(silence.signal.aborted, false)
})
