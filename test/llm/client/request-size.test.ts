import fc from 'fast-check'
import { test } from 'tap'
import { fittingModels, tokensOf } from '../../../src/llm/client/request-size.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { scaled } from '../../helpers/property-runs.ts'

const messagesOf = (tokens: number) => [{ content: 'x'.repeat(tokens - 7) }] // 4 around the message, 3 before the reply
const perChar = (contexts: Record<string, number>) => ({
  contexts: new Map(Object.entries(contexts)),
  countTokens: (text: string) => text.replaceAll(' ', '').length,
})

test(
  'what fits is asked in order, the reply gets what room is left, and a model without a size is not ' + 'checked',
  async t => {
    const sizes = perChar({ small: 4000, middle: 8000, big: 100_000 })
    t.same(fittingModels(['big', 'small', 'unknown', 'middle'], messagesOf(5000), 16_384, sizes), [
      { model: 'big', outputTokens: 16_384 },
      { model: 'unknown', outputTokens: 16_384 },
      { model: 'middle', outputTokens: 2500 }, // 3000 left, a tenth of the request spared
    ])
    t.same(
      fittingModels(['middle'], messagesOf(6976), 16_384, sizes),
      [{ model: 'middle', outputTokens: 1024 }],
      'the least that is worth asking for',
    )
    t.same(
      fittingModels(['middle'], messagesOf(7900), 100, sizes),
      [{ model: 'middle', outputTokens: 100 }],
      'or less, where less was asked for',
    )
  },
)

test('a request that no model holds is refused with the sizes and what to lower', async t => {
  const sizes = perChar({ small: 4000, middle: 8000 })
  t.throws(() => fittingModels(['small', 'middle'], messagesOf(9000), 16_384, sizes), {
    code: 'LLM_REQUEST_TOO_LARGE',
    message:
      'The request has 9000 tokens and its reply needs room for 1024, but the context of small has 4000, ' +
      'middle has 8000. Nothing was sent.',
    fix: /^Send at least 2024 tokens less \(max_context_tokens/,
    usage: { llmCalls: 0 },
  })
})

test('nothing is counted where no size is known', async t => {
  const count = () => {
    throw new Error('counted')
  }
  t.same(fittingModels(['a', 'b'], messagesOf(9000), 5, { contexts: new Map([['c', 1]]), countTokens: count }), [
    { model: 'a', outputTokens: 5 },
    { model: 'b', outputTokens: 5 },
  ])
})

test('text of words is counted as the tokenizer does', async t => {
  const content = 'const answer = await ask(question) // and wait for it\n'.repeat(50)
  t.equal(
    tokensOf([{ content }, { content: 'Why?' }], countTokens),
    countTokens(content) + countTokens('Why?') + 2 * 4 + 3,
  )
})

test('one endless word or gap is not counted as nothing', async t => {
  for (const unit of ['a', ' ', '-', '\n', 'ß', '漢', 'aB3']) {
    const tokens = tokensOf([{ content: unit.repeat(Math.ceil(scaled(500_000) / unit.length)) }], countTokens)
    t.ok(tokens > 1000, JSON.stringify(unit))
  }
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.string({ maxLength: 99 }),
        text => tokensOf([{ content: text }], countTokens) === countTokens(text) + 7,
      ),
    ),
  )
})
