import { test, type Test } from 'tap'
import type { ResolutionAnswer } from '../../../../src/contract/resolution.ts'
import type { Reply } from '../../../fakes/model-reply.ts'
import { FAR_CAUSE, FAR_TRACE } from '../../../helpers/far-cause.ts'
import { buildProject } from '../../../helpers/project-with-model.ts'

const ANSWER = [
  '## Cause',
  'An article without a price: `read_shelf` gives `None` at `store/shelf.py:6`, which `add_up` adds at app/money.py:4.',
  '## Fix',
  'Refuse it in `read_shelf`.',
  '## Code',
  '```diff',
  '--- a/store/shelf.py',
  '+++ b/store/shelf.py',
  '@@ -3,4 +3,4 @@',
  ' ',
  ' def read_shelf(code):',
  '     # an article that nobody counted has no price yet',
  "-    return SHELF.get(code, {'price': None})",
  "+    return SHELF.get(code, {'price': 0})",
  '```',
].join('\n')

const call = (name: string, given: object) => ({ name, arguments: given })

async function investigated(t: Test, chat: Reply[], body: object = {}) {
  const built = await buildProject(t, FAR_CAUSE, chat)
  const res = await built.post('/resolve', { project_name: 'shop', stacktrace: FAR_TRACE, investigate: true, ...body })
  const job = res.json()
  const [resolution] = (job.result ?? []) as ResolutionAnswer[]
  return { ...built, res, job, resolution, asked: built.model.requests }
}

const FOLLOWS: Reply[] = [
  { text: 'Where do prices come from?', toolCalls: [call('find_definition', { name: 'prices_of' })] },
  { toolCalls: [call('find_definition', { name: 'shelf_price' })] },
  { toolCalls: [call('find_definition', { name: 'read_shelf' }), call('read_code', { path: 'store/shelf.py' })] },
  { text: ANSWER },
]

test('a cause three calls away from the trace is reached, and what was read is listed', async t => {
  const { res, job, resolution, asked, app } = await investigated(t, FOLLOWS)
  t.equal(res.statusCode, 200, res.body)
  t.match(job, { status: 'succeeded', type: 'resolve' }, JSON.stringify(job.error))
  t.match(resolution, {
    answer_status: 'ok',
    answer_error: null,
    answer: { patch_status: 'applies' },
    usage: { llm_calls: 4 },
    investigation: { model_calls: 4, asked_by: 'tool_calls', ended_by: 'answer' },
  })
  t.match(
    resolution?.investigation?.steps.map(({ step, tool, outcome }) => [step, tool, outcome]),
    [
      [1, 'find_definition', 'found'],
      [2, 'find_definition', 'found'],
      [3, 'find_definition', 'found'],
      [4, 'read_code', 'found'],
    ],
  )
  const read = resolution?.sources.filter(({ reason }) => reason === 'investigated') ?? []
  t.match(
    read.map(({ path }) => path),
    ['app/basket.py', 'store/pricing.py', 'store/shelf.py'],
  )
  t.match(read[2], { start_line: 1, end_line: 6, why: /step 3/ })
  t.equal(job.usage.llm_calls, 4)
  t.match(JSON.stringify(asked[0]?.body?.messages), /total \+= amount/, 'the located context goes in first')
  t.notMatch(JSON.stringify(asked[0]?.body?.messages), /SHELF\.get/, 'which does not hold the cause')
  const [named] = resolution?.dropped ?? []
  t.match(JSON.stringify(asked[0]?.body?.messages), String(named), 'files that there was no room for are named')

  const { data: events } = (await app.inject(`/jobs/${job.id}/events`)).json()
  const logs = events
    .filter(({ event }: { event: string }) => event === 'log')
    .map((one: { data: { text: string } }) => one.data.text)
  t.match(logs[0], /Step 1 of 12: find_definition .*prices_of.*: 1 definition/)
  const { data: entries } = (await app.inject(`/jobs/${job.id}/transcript`)).json()
  const kinds = entries.map(({ kind }: { kind: string }) => kind)
  t.same(kinds.filter((kind: string) => kind === 'tool').length, 4)
  t.match(
    entries.find(({ kind }: { kind: string }) => kind === 'tool'),
    {
      number: 1,
      name: 'find_definition',
      arguments: /prices_of/,
      result: /shelf_price\(code\) for code in basket/,
    },
  )
  t.match(
    entries.find(({ kind }: { kind: string }) => kind === 'reply'),
    { tool_calls: [{ name: 'find_definition' }] },
  )

  const kept = (await app.inject(`/resolutions/${resolution?.id}`)).json()
  t.match(JSON.stringify(kept), /"ended_by":"answer"/, 'it is kept as every resolution')
})

test('a model that asks for nothing costs one call', async t => {
  const { job, resolution, asked } = await investigated(t, [{ text: ANSWER }])
  t.match(job, { status: 'succeeded', usage: { llm_calls: 1 } })
  t.match(resolution?.investigation, { steps: [], model_calls: 1, ended_by: 'answer' })
  t.equal(asked.length, 1)
})
