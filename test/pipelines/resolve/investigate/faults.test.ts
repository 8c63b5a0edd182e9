import { test } from 'tap'
import { FaultlineError } from '../../../../src/core/errors.ts'
import { jsonValuesIn } from '../../../../src/llm/json/json-text.ts'
import { investigate } from '../../../../src/pipelines/resolve/investigate/investigate.ts'
import type { CodeToAsk } from '../../../../src/pipelines/resolve/investigate/tools.ts'
import { noFaultResolution } from '../../../../src/pipelines/resolve/no-fault.ts'

type Deps = Parameters<typeof investigate>[2]
type Job = Parameters<typeof investigate>[0]
type Completion = Awaited<ReturnType<Deps['model']['askInStep']>>

const COMMIT = 'c'.repeat(40)
const INPUT = { project_name: 'shop', stacktrace: 'x' }
const FOUND = { data: [], total: 0, complete: true, offset: 0, nextOffset: null, tokens: 1, notice: null }

const job: Job = {
  step: async (_name, run) => run(new AbortController().signal),
  log() {},
  progress() {},
  record: async () => {},
  isOverBudget: () => false,
  checkBudget: async () => {},
  waitForRoom: async () => {},
  addUsage: async () => {},
  token() {},
}

const looks = (name: string): Partial<Completion> => ({
  text: `Perhaps ${name}.`,
  toolCalls: [{ id: `call_${name}`, name: 'find_references', arguments: JSON.stringify({ name }) }],
})

/** What an investigation needs, where only the model and the code are of interest. */
function depsWith({ openCode, reply }: Pick<Deps, 'openCode'> & { reply: Deps['model']['askInStep'] }): Deps {
  const located = { projectName: 'shop', commit: COMMIT, indexState: 'ready' as const, log: 'x', passedOver: 0 }
  return {
    openQuestion: async () => ({
      resolution: noFaultResolution(located),
      dialogue: [
        { role: 'system', content: 'Explain it.' },
        { role: 'user', content: 'Why?' },
      ],
      at: { repository: 'shop', commit: COMMIT },
      redactions: 0,
    }),
    readReply: async ({ text }) => ({ answer: { text } as never, answerError: null }),
    keepResolution: async () => {},
    openCode,
    readFile: async () => null,
    clean: value => ({ value, redactions: 0 }),
    countTokens: text => text.length,
    model: { askInStep: reply, render: name => name, contextOf: () => null, jsonValuesIn },
  }
}

const completion = (part: Partial<Completion>): Completion =>
  ({
    text: '',
    model: 'scripted',
    finishReason: 'stop',
    usage: { llmCalls: 1, promptTokens: 1, completionTokens: 1, usd: null },
    ...part,
  }) as Completion

const code = {
  commits: [],
  findReferences: async () => FOUND,
} as unknown as CodeToAsk

test('code that could not be opened once is opened for the next look', async t => {
  const replies = [looks('one'), looks('two'), { text: 'Seen.' }]
  let opened = 0
  const deps = depsWith({
    async openCode() {
      opened += 1
      if (opened === 1) throw new FaultlineError('OVERLOADED', 'All threads are busy.')
      return code
    },
    reply: async () => completion(replies.shift() ?? {}),
  })
  const { investigation, answer } = await investigate(job, INPUT, deps)
  t.match(answer, { text: 'Seen.' })
  t.match(investigation?.steps, [{ outcome: 'refused' }, { outcome: /found|nothing/ }])
  t.equal(opened, 2, 'it is opened once more, and then stays open')
})

test('a call of the model that outlasts the time ends with the answer so far', async t => {
  const open = setInterval(() => {}, 1_000) // as the connection to a model keeps the process open
  t.teardown(() => clearInterval(open))
  const limits: Array<[object, string]> = [
    [{ budget: { seconds: 0.2 } }, 'budget'],
    [{ budget: { seconds: 31_536_000 } }, 'answer'],
  ]
  for (const [given, endedBy] of limits) {
    let asked = 0
    const deps = depsWith({
      openCode: async () => code,
      async reply(_job, _prompts, { signal }) {
        asked += 1
        if (asked === 1) return completion(looks('one'))
        if (endedBy === 'answer') {
          t.notOk(signal?.aborted, 'a limit that no timer holds ends nothing at once')
          return completion({ text: 'Seen.' })
        }
        return await new Promise<never>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('The call was ended.')))
        })
      },
    })
    const { answer, investigation, ...resolution } = await investigate(job, { ...INPUT, ...given }, deps)
    t.equal(investigation?.endedBy, endedBy)
    if (endedBy === 'answer') continue
    t.match(answer, { text: 'Perhaps one.' })
    t.match(resolution, {
      answerStatus: 'ok',
      answerError: { code: 'BUDGET_EXHAUSTED', message: /The time is used up/ },
      usage: { llmCalls: 1 },
    })
  }
})
