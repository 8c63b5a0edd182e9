import fc from 'fast-check'
import { test } from 'tap'
import { createTurns } from '../../../src/jobs/hand-out/fair-turn.ts'
import type { QueueHead } from '../../../src/jobs/store/job-store.ts'
import { openJobs } from '../../helpers/open-jobs.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { runs } from '../../helpers/property-runs.ts'

test(
  'a turn goes to the project that runs least, then to the one whose turn is longest ago, then by age; ' +
    'names differ only in case',
  async t => {
    const turns = createTurns()
    const head = (seq: number, projectName: string | null, exclusiveKey: string | null = null) => ({
      seq,
      projectName,
      exclusiveKey,
    })
    t.equal(turns.choose([], []), null)
    t.match(turns.choose([head(1, 'a'), head(2, 'b')], [head(9, 'A')]), { seq: 2 })
    turns.took('B')
    t.match(turns.choose([head(1, 'b'), head(2, 'a')], []), { seq: 2 })
    t.match(turns.choose([head(1, 'a', 'k'), head(2, 'b')], [head(9, 'x', 'k')]), { seq: 2 })
    t.match(turns.choose([head(3, null), head(2, null, 'other')], []), { seq: 2 })
  },
)

test('with one slot projects take turns, however many jobs one of them has', async t => {
  const order: string[] = []
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openJobs(
    t,
    {
      generate: scriptedJob(async ({ input }) => {
        order.push(String(input.name))
        await gate.promise
      }),
    },
    { concurrency: 1 },
  )
  const ids = await Array.fromAsync(
    ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'],
    async name => (await jobs.create('generate', { name, project_name: name.charAt(0).replace('a', 'A') })).job.id,
  )
  gate.resolve(undefined)
  for (const id of ids) await jobs.settled(id, 10_000)
  t.same(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

/**
 * The order in which jobs start, by the rule for one free slot alone, when those that run end in the order in which
 * they began.
 */
function startOrder(
  queued: ReadonlyArray<Omit<QueueHead, 'type'>>,
  running: ReadonlyArray<Omit<QueueHead, 'type'>>,
  slots: number,
  taken: readonly (string | null)[],
): number[] {
  const turns = createTurns()
  for (const project of taken) turns.took(project)
  const left = new Set(queued)
  const active = [...running]
  const order: number[] = []
  while (left.size > 0) {
    const next = active.length < slots ? turns.choose([...left], active) : null
    if (next === null) {
      active.shift()
      continue
    }
    turns.took(next.projectName)
    left.delete(next)
    active.push(next)
    order.push(next.seq)
  }
  return order
}

test('the forecast is the order in which jobs start, whatever runs, excludes another or had its turn', t => {
  const job = fc.record({
    projectName: fc.constantFrom('a', 'A', 'b', 'c', 'd', null),
    exclusiveKey: fc.constantFrom(null, null, 'k', 'l'),
  })
  fc.assert(
    fc.property(
      fc.array(job, { maxLength: 30 }),
      fc.array(job, { maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom('a', 'b', 'c', null), { maxLength: 5 }),
      (jobs, running, slots, taken) => {
        const queued = jobs.map((one, seq) => ({ ...one, seq }))
        const active = running
          .slice(0, slots)
          .map((one, index) => ({ ...one, exclusiveKey: index === 0 ? one.exclusiveKey : null, seq: 1000 + index }))
        const turns = createTurns()
        for (const project of taken) turns.took(project)
        const positions = turns.forecast(queued, active, slots)
        const order = startOrder(queued, active, slots, taken)
        t.same(
          [...positions].sort(([, a], [, b]) => a - b).map(([seq]) => seq),
          order,
        )
        t.same(
          [...positions.values()].sort((a, b) => a - b),
          order.map((_, index) => index),
          'dense',
        )
      },
    ),
    { numRuns: runs(300) },
  )
  t.end()
})

test('a queue of a hundred thousand projects has a forecast, too, of which the far end goes by age', t => {
  const queued = Array.from({ length: 100_000 }, (_, seq) => ({ seq, projectName: `p${seq}`, exclusiveKey: null }))
  const positions = createTurns().forecast(queued, [], 4)
  t.equal(positions.size, 100_000)
  t.equal(positions.get(99_999), 99_999)
  t.end()
})

test('queue_position is the place in the order in which the jobs of all projects start', async t => {
  const order: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  /** Opened by the test or awaited by the job, whichever comes first. */
  function gateOf(id: string): PromiseWithResolvers<void> {
    const gate = gates.get(id) ?? Promise.withResolvers<void>()
    gates.set(id, gate)
    return gate
  }
  const { jobs } = await openJobs(
    t,
    {
      generate: scriptedJob(async ({ id, signal }) => {
        order.push(id)
        const gate = gateOf(id)
        signal.addEventListener('abort', () => gate.resolve(), { once: true })
        await gate.promise
      }),
    },
    { concurrency: 2 },
  )
  const make = async (project: string, exclusive?: string) =>
    (await jobs.create('generate', { project_name: project, exclusive })).job.id
  const first: string = await make('A')
  await make('A')
  const wanted = [['A'], ['A'], ['B', 'b'], ['B', 'b'], ['C'], ['A']] as const
  const queued = await Array.fromAsync(wanted, ([project, exclusive]) => make(project, exclusive))
  const cancelled = queued.pop() ?? ''
  await jobs.cancel(cancelled)
  const positionOf = async (id: string) => (await jobs.get(id)).queuePosition
  const forecast = await Array.fromAsync(queued, positionOf)
  t.same(forecast, [2, 4, 0, 3, 1])
  t.same(
    (await jobs.list({ status: 'queued' }, 200, null)).map(({ queuePosition }) => queuePosition),
    forecast.toReversed(),
    'a list says the same',
  )
  async function nextRunning(): Promise<string | undefined> {
    const running = await jobs.list({ status: 'running' }, 200, null)
    return order.find(id => running.some(job => job.id === id))
  }
  for (let next: string | undefined = first; next !== undefined; next = await nextRunning()) {
    gateOf(next).resolve()
    await jobs.settled(next, 10_000)
    // the next one's body begins
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  t.same(
    queued.map(id => order.indexOf(id) - 2),
    forecast,
  )
})

test('a job that was answered does not start beside its former run', t => {
  const turns = createTurns()
  const head = (seq: number) => ({ seq, projectName: null, exclusiveKey: null })
  t.equal(turns.choose([head(1)], [head(1)]), null)
  t.match(turns.choose([head(1), head(2)], [head(1)]), { seq: 2 })
  t.end()
})
