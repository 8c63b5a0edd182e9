import { test } from 'tap'
import { writeCode } from '../../src/contract/resolution-json.ts'
import { FaultlineError, ModelError } from '../../src/core/errors.ts'
import type { Suspects } from '../../src/resolver/answer/suspects.ts'
import type { ResolverDeps } from '../../src/resolver/resolver.ts'
import { LOCATED, REPLY, REQUEST, resolverWith } from './resolve-with.ts'

test('"context" asks no model, and without a model the rest is still there', async t => {
  const fail = async () => {
    throw new Error('must not be asked')
  }
  t.match(await resolverWith({ complete: fail }).resolve({ ...REQUEST, mode: 'context' }), {
    answer: null,
    answerStatus: 'not_requested',
    model: null,
    context: LOCATED.context,
    timingsMs: { llm: 0 },
  })
  t.match(await resolverWith({}).resolve(REQUEST), {
    answer: null,
    answerStatus: 'not_configured',
    context: LOCATED.context,
  })
})

test('a model that fails costs only the answer', async t => {
  const down = resolverWith({
    complete: async () => {
      throw new FaultlineError('LLM_UNAVAILABLE', 'no answer after 3 attempts')
    },
  })
  t.match(await down.resolve(REQUEST), {
    answer: null,
    answerStatus: 'failed',
    answerError: { code: 'LLM_UNAVAILABLE', message: 'no answer after 3 attempts' },
    context: LOCATED.context,
  })
  const heard: unknown[] = []
  const broken = resolverWith({
    complete: async () => {
      throw new TypeError('/srv/secret is undefined')
    },
    onUnexpected: error => heard.push(error),
  })
  const resolution = await broken.resolve(REQUEST)
  t.equal(resolution.answerStatus, 'failed')
  t.equal(resolution.answerError?.code, 'INTERNAL')
  t.notMatch(resolution.answerError?.message, /secret/)
  t.equal(heard.length, 1, 'a bug is heard of')
})

test('an answer that was cut is given with the reason, and what was hidden is counted', async t => {
  const cases: Array<[finishReason: string, message: RegExp | null]> = [
    ['stop', null],
    ['end_turn', null],
    ['length', /cut at the output limit/],
    ['content_filter', /content filter/],
    ['tool_calls', /before it was complete/],
  ]
  for (const [finishReason, message] of cases) {
    const resolver = resolverWith({ complete: async () => ({ ...REPLY, finishReason, redactions: 2 }) })
    t.match(
      await resolver.resolve(REQUEST),
      {
        answer: { text: 'because' },
        answerStatus: 'ok',
        answerError: message === null ? null : { code: 'LLM_BAD_REPLY', message },
        redactions: 2,
      },
      finishReason,
    )
  }
})

test('the requests of a model that failed are counted', async t => {
  const down = resolverWith({
    complete: async () => {
      throw new ModelError('LLM_UNAVAILABLE', 'no answer', {
        usage: { llmCalls: 3, promptTokens: 7, completionTokens: 0, usd: null },
      })
    },
  })
  t.match(await down.resolve(REQUEST), {
    answerStatus: 'failed',
    answerError: { code: 'LLM_UNAVAILABLE' },
    usage: { llmCalls: 3, promptTokens: 7, usd: null },
  })
})

test('an abort of the caller ends it, wherever it is', async t => {
  const reason = new Error('gone')
  const asking = new AbortController()
  const resolver = resolverWith({
    complete: async () => {
      asking.abort(reason)
      throw asking.signal.reason
    },
  })
  await t.rejects(resolver.resolve(REQUEST, { signal: asking.signal }), reason)
  await t.rejects(resolverWith({}).resolve(REQUEST, { signal: AbortSignal.abort(reason) }), reason)
})

test('the finding is told before the model is asked, then each token', async t => {
  const events: string[] = []
  const resolver = resolverWith({
    complete: async ({ onToken }) => {
      onToken?.('a')
      onToken?.('b')
      return { ...REPLY, text: 'ab' }
    },
  })
  const { id } = await resolver.resolve(REQUEST, {
    onLocated: finding => events.push(finding.id),
    onToken: text => events.push(text),
  })
  t.same(events, [id, 'a', 'b'])
})

const PENDING: Suspects = { suspectCommits: [], suspectsStatus: 'pending' }
const SUSPECT = {
  commit: 'c'.repeat(40),
  author: 'Ada',
  date: '2026-03-01T12:00:00.000Z',
  summary: 'Count twice',
  path: 'a.py',
  lines: [1],
  score: 1,
  why: 'last changed it',
}
const FOUND: Suspects = { suspectCommits: [SUSPECT], suspectsStatus: 'ok' }

/** A search that ends when the test says so. */
function lateSearch() {
  const { promise, resolve, reject } = Promise.withResolvers<Suspects>()
  const rest = { found: promise, known: null as Suspects | null }
  const end = (found: Suspects): void => {
    rest.known = found
    resolve(found)
  }
  return { findSuspects: async () => ({ suspects: PENDING, rest }), found: promise, end, fail: reject }
}

test('suspects that are pending hold up nothing; they are told of when they come, whenever that is', async t => {
  const { findSuspects, found, end } = lateSearch()
  const resolver = resolverWith({ findSuspects })
  const told: unknown[] = []
  const resolution = await resolver.resolve(REQUEST, {
    onLocated: ({ suspectsStatus }) => told.push(suspectsStatus),
    onSuspects: found => told.push(found),
  })
  t.match(resolution, PENDING)
  end(FOUND)
  await found
  t.same(told, ['pending', { id: resolution.id, ...FOUND }])
})

test('suspects that come while the model writes are in the whole', async t => {
  const { findSuspects, end } = lateSearch()
  const resolver = resolverWith({
    findSuspects,
    complete: async () => {
      end(FOUND)
      return REPLY
    },
  })
  t.match(await resolver.resolve(REQUEST), FOUND)
})

test('who has the time waits for pending suspects, until it leaves; one search that fails costs only them', async t => {
  const waitForSuspects = true
  const { findSuspects, fail } = lateSearch()
  const resolver = resolverWith({ findSuspects })
  const controller = new AbortController()
  const reason = new Error('gone')
  const left = resolver.resolve(REQUEST, { waitForSuspects, signal: controller.signal, onSuspects: () => t.fail() })
  setImmediate(() => controller.abort(reason))
  await t.rejects(left, reason)
  const waits = resolver.resolve(REQUEST, { waitForSuspects })
  fail(new Error('no git'))
  t.match(await waits, PENDING)
  const other = lateSearch()
  other.end(FOUND)
  const found = resolverWith({ findSuspects: other.findSuspects })
  t.match(await found.resolve(REQUEST, { waitForSuspects }), FOUND)
})

test('suspects that do not come in time are late, and nothing more is told of them', async t => {
  const told: unknown[] = []
  const never = lateSearch()
  const resolver = resolverWith({ findSuspects: never.findSuspects, suspectsLimitMs: 1 })
  const whole = await resolver.resolve(REQUEST, { waitForSuspects: true, onSuspects: found => told.push(found) })
  t.match(whole, { suspectCommits: [], suspectsStatus: 'timed_out' })
  const late = [{ id: whole.id, suspectCommits: [], suspectsStatus: 'timed_out' }]
  t.same(told, late)
  never.end(FOUND)
  await never.found
  t.same(told, late, 'what was told is final')
})

test('what locating throws comes through', async t => {
  await t.rejects(
    resolverWith({
      locate: async () => {
        throw new FaultlineError('NO_STACK_TRACE', 'x')
      },
    }).resolve(REQUEST),
    { code: 'NO_STACK_TRACE' },
  )
})

test('code is located for a model only where one is to answer', async t => {
  const asked: Array<boolean | undefined> = []
  const locate: ResolverDeps['locate'] = async ({ forModel }) => {
    asked.push(forModel)
    return writeCode(LOCATED)
  }
  const withModel = resolverWith({ locate, complete: async () => REPLY })
  await withModel.resolve(REQUEST)
  await withModel.resolve({ ...REQUEST, mode: 'context' })
  await resolverWith({ locate }).resolve(REQUEST)
  await resolverWith({ locate }).question(REQUEST)
  t.same(asked, [true, undefined, undefined, true])
})
