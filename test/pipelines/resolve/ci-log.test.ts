import { test, type Test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { Usage } from '../../../src/core/job.ts'
import type { Resolution } from '../../../src/core/resolution.ts'
import type { Callback, Callbacks } from '../../../src/outbound/callbacks.ts'
import type { CiLogDeps } from '../../../src/pipelines/resolve/ci-log.ts'
import type { ResolveInput } from '../../../src/contract/resolution.ts'
import { createResolvePipeline } from '../../../src/pipelines/resolve/run.ts'
import { withCallback } from '../../../src/pipelines/callback/with-callback.ts'
import type { ResolveHooks } from '../../../src/resolver/resolver.ts'
import { NO_FORGE } from '../../helpers/no-forge.ts'
import { NO_INVESTIGATION } from '../../helpers/no-investigation.ts'
import { openJobs as open } from '../../helpers/open-jobs.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const COMMIT = 'c'.repeat(40)
const USAGE = { llmCalls: 1, promptTokens: 10, completionTokens: 5, usd: null }

/** A resolution of a log whose exceptions have these fingerprints, each of a chain of its own. */
function resolution(fingerprints: string[], usage = USAGE): Resolution {
  const exceptions = fingerprints.map((fingerprint, index) => ({
    index,
    type: 'Error',
    message: null,
    language: null,
    relation: 'root' as const,
    count: 1,
    chain: index,
    fingerprint,
  }))
  return {
    id: 'res_1',
    projectName: 'shop',
    commit: COMMIT,
    indexState: 'ready',
    exceptions,
    frames: [],
    framesTotal: 0,
    sources: [],
    context: '',
    contextTokens: 0,
    tokenizer: '',
    dropped: [],
    suspectCommits: [],
    suspectsStatus: 'ok',
    answer: null,
    answerStatus: 'ok',
    answerError: null,
    model: null,
    usage,
    timingsMs: { parse: 0, map: 0, retrieve: 0, context: 0, llm: 0, total: 0 },
  }
}

async function openJobs(
  t: Test,
  deps: Partial<Omit<CiLogDeps, 'tellOrigins'> & Pick<Callbacks, 'deliver'>>,
  root = testFolder(t),
  onError: (error: unknown) => void = error => {
    t.fail(String(error))
  },
) {
  const delivered: Array<Omit<Callback, 'signal'>> = []
  const deliver: Callbacks['deliver'] = async ({ signal: _signal, ...callback }) => {
    delivered.push(callback)
    return { delivered: true, status: 200, tries: 1 }
  }
  const nothing: CiLogDeps['resolve'] = async () => resolution([])
  /** What a resolution says to have cost is what a model's call cost. */
  async function resolve(
    input: ResolveInput,
    { signal = new AbortController().signal, asking }: Pick<ResolveHooks, 'signal' | 'asking'>,
  ): Promise<Resolution> {
    const found = await (deps.resolve ?? nothing)(input, signal)
    if (input.mode === 'context') return found
    await asking?.(async ({ onSpent }: { messages: unknown; onSpent?: (usage: Usage) => void }) => {
      onSpent?.(found.usage)
      return { text: 'why', model: 'm', finishReason: 'stop', usage: found.usage, redactions: 0 }
    }, [])({ messages: [] })
    return found
  }
  const { jobs, close } = await open(
    t,
    {
      resolve: withCallback(
        'resolve',
        createResolvePipeline({
          describeProject: async () => ({ projectName: 'shop', commit: COMMIT, indexState: 'ready' }),
          ...NO_FORGE,
          ...NO_INVESTIGATION,
          tellOrigins: async () => [],
          withoutSecrets: async text => text,
          prompts: { sha256: () => '' },
          ...deps,
          resolve,
        }),
        deps.deliver ?? deliver,
      ),
    },
    { concurrency: 1, root, onError },
  )
  return { jobs, delivered, close, root }
}

const INPUT = { project_name: 'shop', log: 'x', callback_url: 'https://ci.example.com/' }

test('equal faults are resolved once, each as a step of its own, at the commit where it is known', async t => {
  const asked: Array<Pick<ResolveInput, 'exception' | 'ref' | 'mode'>> = []
  const { jobs } = await openJobs(t, {
    async resolve({ exception, ref, mode }) {
      asked.push({ exception, ref, mode })
      return resolution(['a', 'b', 'a'])
    },
  })
  const { job } = await jobs.create('resolve', { ...INPUT, commit: 'abc' })
  t.match(await jobs.settled(job.id, 10_000), {
    status: 'succeeded',
    usage: { llmCalls: 2 },
    result: [{ exceptions: [{ index: 0, fingerprint: 'a' }] }, { exceptions: [{ index: 1 }] }],
  })
  t.same(asked, [
    { exception: undefined, ref: 'abc', mode: 'context' },
    { exception: 0, ref: 'abc', mode: undefined },
    { exception: 1, ref: 'abc', mode: undefined },
  ])
})

test('a job that fails tells its callback why', async t => {
  const { jobs, delivered } = await openJobs(t, {
    async resolve() {
      throw new FaultlineError('PROJECT_NOT_FOUND', 'There is no project "shop".', 'GET /projects')
    },
  })
  const { job } = await jobs.create('resolve', INPUT)
  t.match(await jobs.settled(job.id, 10_000), {
    status: 'failed',
    error: { code: 'PROJECT_NOT_FOUND', step: 'faults' },
  })
  t.equal(delivered.length, 1)
  t.match(delivered[0], { url: INPUT.callback_url, id: job.id })
  t.same(JSON.parse(delivered[0]?.body ?? ''), {
    id: job.id,
    type: 'resolve',
    project_name: 'shop',
    status: 'failed',
    result: null,
    error: { code: 'PROJECT_NOT_FOUND', message: 'There is no project "shop".', fix: 'GET /projects' },
  })
})

test('of a bug the callback learns only that it was one', async t => {
  const errors: unknown[] = []
  const { jobs, delivered } = await openJobs(
    t,
    {
      async resolve() {
        throw new TypeError('secret detail')
      },
    },
    testFolder(t),
    error => {
      errors.push(error)
    },
  )
  const { job } = await jobs.create('resolve', INPUT)
  t.match(await jobs.settled(job.id, 10_000), { status: 'failed', error: { code: 'INTERNAL' } })
  t.match(JSON.parse(delivered[0]?.body ?? ''), {
    status: 'failed',
    result: null,
    error: { code: 'INTERNAL', message: /job id/ },
  })
  t.notMatch(delivered[0]?.body, /secret detail/)
  t.match(errors, [{ message: 'secret detail' }])
})

test(
  'a log without a fault ends with a result that says so and what was looked for, and the callback gets ' + 'it',
  async t => {
    const warning = {
      ...resolution(['w']),
      exceptions: resolution(['w']).exceptions.map(exception => ({ ...exception, relation: 'separate' as const })),
    }
    const cases: Array<[string, () => Promise<Resolution>, RegExp]> = [
      [
        'all 12 tests passed\n',
        async () => resolution([]),
        /^No fault was found in the 1 line of this log\. Looked for: errors with their stack traces, /,
      ],
      ['a\nb\n', async () => warning, /in the 2 lines of this log \(1 warning or other stacks are no faults\)/],
      [
        '---',
        async () => {
          throw new FaultlineError('NO_STACK_TRACE', 'x')
        },
        /in the 1 line of this log/,
      ],
    ]
    for (const [log, resolve, notice] of cases) {
      const { jobs, delivered } = await openJobs(t, { resolve }, testFolder(t))
      const { job } = await jobs.create('resolve', { ...INPUT, log })
      t.match(await jobs.settled(job.id, 10_000), { status: 'succeeded', usage: { llmCalls: 0 } })
      const { result } = JSON.parse(delivered[0]?.body ?? '') as { result: unknown[] }
      t.equal(result.length, 1)
      t.match(result[0], {
        project_name: 'shop',
        commit: COMMIT,
        exceptions: [],
        frames: [],
        context: '',
        answer: null,
        answer_status: 'not_requested',
        notice,
        answer_error: { code: 'NO_STACK_TRACE' },
      })
    }
  },
)

test('a job that is cancelled, and one without a callback, tell nobody', async t => {
  const entered = Promise.withResolvers<undefined>()
  const { jobs, delivered } = await openJobs(t, {
    resolve: async (_input, signal) => {
      entered.resolve(undefined)
      await new Promise(resolve => {
        signal.addEventListener('abort', resolve)
      })
      throw new FaultlineError('CANCELLED', 'x')
    },
  })
  const { job } = await jobs.create('resolve', INPUT)
  await entered.promise
  await jobs.cancel(job.id)
  await jobs.remove(job.id) // waits for the run to end
  t.equal(delivered.length, 0)

  const other = await openJobs(t, {}, t.testdir({ other: {} }))
  const without = (await other.jobs.create('resolve', { project_name: 'shop', log: 'x' })).job
  t.match(await other.jobs.settled(without.id, 10_000), { status: 'succeeded' })
  t.equal(other.delivered.length, 0)
})

test('a job that goes on after a restart repeats no fault, no cost and no delivery that was made', async t => {
  const gate = Promise.withResolvers<undefined>()
  const first = await openJobs(t, {
    async resolve({ exception }, signal) {
      if (exception !== 1) return resolution(['a', 'b'])
      gate.resolve(undefined)
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    },
  })
  const { job } = await first.jobs.create('resolve', INPUT)
  await gate.promise
  await first.close()

  const asked: Array<number | undefined> = []
  const second = await openJobs(
    t,
    {
      async resolve({ exception }) {
        asked.push(exception)
        return resolution(['a', 'b'])
      },
    },
    first.root,
  )
  t.match(await second.jobs.settled(job.id, 10_000), { status: 'succeeded', usage: { llmCalls: 2 } })
  t.same(asked, [1])
  t.equal(first.delivered.length + second.delivered.length, 1)
})

test('where all threads are busy a job waits for one, and the faults that were resolved stay so', async t => {
  const asked: Array<number | undefined> = []
  const { jobs, delivered } = await openJobs(t, {
    async resolve(input) {
      asked.push(input.exception)
      if (input.exception === 1 && asked.length < 4) throw new FaultlineError('OVERLOADED', 'All threads are busy.')
      return resolution(['a', 'b'])
    },
  })
  const { id } = (await jobs.create('resolve', INPUT)).job
  t.match(await jobs.settled(id, 10_000), { status: 'succeeded' })
  t.same(asked, [undefined, 0, 1, 1])
  t.same(
    (await jobs.events(id, 0)).flatMap(({ data }) => (typeof data.text === 'string' ? [data.text] : [])),
    ['All threads are busy; the job waits for one.', 'The result was delivered: 200.'],
  )
  t.equal(delivered.length, 1)
})

test(
  'a job that fails tells its callback so and ends so, also when the server was stopped in between and it ' +
    'would succeed now',
  async t => {
    const stalled = Promise.withResolvers<undefined>()
    const told: unknown[] = []
    let resolved = 0
    const resolve = async () => {
      resolved++
      if (resolved === 1) throw new FaultlineError('PROJECT_NOT_FOUND', 'It is gone.', 'Clone it.')
      return resolution([])
    }
    const first = await openJobs(t, {
      resolve,
      deliver: ({ signal }) =>
        new Promise((_resolve, reject) => {
          stalled.resolve(undefined)
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        }),
    })
    const { id } = (await first.jobs.create('resolve', INPUT)).job
    await stalled.promise
    t.match(await first.jobs.get(id), { status: 'running' })
    await first.close()
    const second = await openJobs(
      t,
      {
        resolve,
        deliver: async ({ body }) => {
          told.push(JSON.parse(body))
          return { delivered: true, status: 200, tries: 1 }
        },
      },
      first.root,
    )
    t.match(await second.jobs.settled(id, 10_000), {
      status: 'failed',
      error: { code: 'PROJECT_NOT_FOUND', message: 'It is gone.', step: 'faults', fix: 'Clone it.' },
    })
    t.match(told, [
      {
        id,
        status: 'failed',
        result: null,
        error: { code: 'PROJECT_NOT_FOUND', message: 'It is gone.', fix: 'Clone it.' },
      },
    ])
    t.equal(told.length, 1)
    t.equal(resolved, 1, 'the body was not run again')
  },
)

test('a job that is cancelled while it tells of its end stays cancelled, and the delivery ends', async t => {
  const stalled = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<unknown>()
  const { jobs } = await openJobs(t, {
    resolve: async () => {
      throw new FaultlineError('PROJECT_NOT_FOUND', 'It is gone.')
    },
    deliver: ({ signal }) =>
      new Promise((_resolve, reject) => {
        stalled.resolve(undefined)
        signal.addEventListener(
          'abort',
          () => {
            ended.resolve('ended')
            reject(signal.reason)
          },
          { once: true },
        )
      }),
  })
  const { id } = (await jobs.create('resolve', INPUT)).job
  await stalled.promise
  t.match(await jobs.cancel(id), { status: 'cancelled' })
  t.equal(await ended.promise, 'ended')
  await jobs.remove(id)
})
