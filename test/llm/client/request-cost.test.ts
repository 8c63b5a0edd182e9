import { test } from 'tap'
import { CallFailure } from '../../../src/llm/client/call-failure.ts'
import { costOf } from '../../../src/llm/client/request-cost.ts'

const deps = {
  failure: null as unknown,
  left: false,
  countPrompt: () => 10,
  countTokens: (text: string) => text.length,
}

test('what the server counted is what it cost', async t => {
  const usage = { promptTokens: 1, completionTokens: 2 }
  t.equal(costOf({ usage, output: 'ignored' }, deps), usage)
})

test('else the prompt and what came of the reply are counted', async t => {
  t.same(costOf({ usage: null, output: 'abc' }, deps), { promptTokens: 10, completionTokens: 3 })
  t.same(costOf({ usage: null, output: '' }, { ...deps, left: true, failure: new Error('aborted') }), {
    promptTokens: 10,
    completionTokens: 0,
  })
})

test('a request that no model worked on costs nothing', async t => {
  const refused = new CallFailure('rejected', 'no')
  t.equal(costOf({ usage: null, output: '' }, { ...deps, failure: refused }), null)
  const broken = new CallFailure('unavailable', 'the connection broke', { mayCost: true })
  t.same(costOf({ usage: null, output: '' }, { ...deps, failure: broken }), { promptTokens: 10, completionTokens: 0 })
})

test('a very long reply is estimated by its beginning', async t => {
  const counted: number[] = []
  const countTokens = (text: string): number => {
    counted.push(text.length)
    return text.length / 4
  }
  const cost = costOf({ usage: null, output: 'word '.repeat(200_000) }, { ...deps, countTokens })
  t.equal(cost?.completionTokens, 250_000)
  t.ok(Math.max(...counted) <= 400_000)
})
