import { test } from 'tap'
import fc from 'fast-check'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { jsonValuesIn } from '../../../src/llm/json/json-text.ts'
import { makePlan } from '../../../src/pipelines/feature/plan/make-plan.ts'
import { featureRules } from '../../../src/pipelines/feature/rules.ts'
import { isRefName } from '../../../src/repos/clone/refs.ts'
import type { AskModel } from '../../../src/pipelines/steps/model/ask-model.ts'
import { PLAN } from '../../helpers/feature-project.ts'

const REQUEST = { request: 'Store characters', overview: '', rules: featureRules([]), refusal: async () => null }

/** A planner with these replies; the last one again and again. */
function planner(...replies: string[]) {
  const asked: string[] = []
  const job = { log() {} } as unknown as JobContext
  const model = {
    jsonValuesIn,
    async askModel(_job: unknown, { messages }: { messages: unknown[] }) {
      asked.push(JSON.stringify(messages.slice(2)))
      return { text: replies[asked.length - 1] ?? replies.at(-1) ?? '', cut: null }
    },
  } as unknown as AskModel
  return { asked, plan: () => makePlan(job, model, REQUEST) }
}

test('a plan among thoughts is found, and the last one counts', async t => {
  const text = `<think>{"understood": 1}</think>\n${JSON.stringify({ ...PLAN, branchName: 'feat/one' })}\nBetter:\n
\`\`\`json\n${JSON.stringify({ ...PLAN, branchName: 'feat/two' })}\n\`\`\`\nDone.`
  const { plan, asked } = planner(text)
  t.match(await plan(), { branchName: 'feat/two' })
  t.equal(asked.length, 1)
})

test('a plan that cannot be used is asked for once more, with the reasons', async t => {
  const { plan, asked } = planner('no plan', JSON.stringify(PLAN))
  t.match(await plan(), { entities: [{ name: 'Character' }] })
  t.equal(asked.length, 2)
  t.match(asked[1], 'no plan')
  const twice = planner(JSON.stringify({ ...PLAN, understood: ' ' }))
  await t.rejects(twice.plan(), {
    code: 'PLAN_INVALID',
    message: /"understood" says nothing/,
    fix: /Say in the request/,
  })
  t.equal(twice.asked.length, 2)
})

test('whatever a planner answers, it is a plan, or told as no plan', async () => {
  const noise = fc.string({ unit: 'binary', maxLength: 200 })
  const cut = fc.nat(600).map(end => JSON.stringify(PLAN).slice(0, end))
  const nested = fc.constantFrom('[', '{"a":', '{"entities":[').map(piece => piece.repeat(20_000))
  const values = fc.jsonValue().map(value => JSON.stringify({ ...PLAN, entities: value, tools: value, files: value }))
  const answer = fc.oneof(
    noise,
    cut,
    nested,
    values,
    fc.json(),
    fc.tuple(noise, fc.json()).map(parts => parts.join('')),
  )
  await fc.assert(
    fc.asyncProperty(answer, async text => {
      try {
        const { branchName } = await planner(text).plan()
        return isRefName(branchName)
      } catch (error) {
        return error instanceof FaultlineError && ['PLAN_INVALID', 'OUT_OF_SCOPE'].includes(error.code)
      }
    }),
  )
})
