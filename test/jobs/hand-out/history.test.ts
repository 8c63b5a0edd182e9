import { test } from 'tap'
import type { JobEvent } from '../../../src/core/job.ts'
import { runHistory, violations, type JobHistory } from '../../helpers/cluster/history.ts'
import type { WorkerNote } from '../../helpers/cluster/worker-process.ts'
import { noPostgres } from '../../helpers/postgres.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test('a history with random faults has no violations', { skip: noPostgres(18) }, async t => {
  const seed = 7
  const history = await runHistory({
    jobs: 60,
    workers: 3,
    seed,
    version: 18,
    maxStepMs: 1_500,
    root: testFolder(t),
    say: line => t.comment(line),
  })
  t.same(history.violations, [], `seed ${seed}`)
  t.equal(history.entriesLeft, 0, 'no entry is left when no job is')
})

const events = (...statuses: string[]): JobEvent[] => {
  const told = statuses.map((status, i): JobEvent => {
    return { id: i + 1, at: new Date(i * 1_000).toISOString(), event: 'status', data: { status } }
  })
  const step: JobEvent = { id: told.length + 1, at: '', event: 'step', data: { step: 'step-1', finished: true } }
  return [...told, step, { id: told.length + 2, at: '', event: 'done', data: {} }]
}

const good = (id: string): JobHistory => ({
  ...{ id, key: 'k', wanted: 1, status: 'succeeded', attempt: 1 },
  steps: [{ name: 'step-1', run: `${id} 1` }],
  events: events('queued', 'running', 'succeeded'),
})

const runOf = (job: string, worker: string, from: number, to: number): WorkerNote[] => [
  { at: from, worker, kind: 'begin', job, run: `${job} 1` },
  { at: to, worker, kind: 'end', job, run: `${job} 1` },
]

test('the checker finds what must not be', async t => {
  const notes = [...runOf('a', 'w0', 1_100, 1_900), ...runOf('b', 'w1', 2_000, 2_100)]
  t.same(violations([good('a'), good('b')], notes, []), [])
  const beside = [...runOf('a', 'w0', 1_100, 1_900), ...runOf('b', 'w1', 1_800, 2_100)]
  t.match(violations([good('a'), good('b')], beside, []), [/key k: b began 100 ms before a ended/])
  t.same(violations([good('a'), good('b')], beside, [{ worker: 'w0', at: 1_700 }]), [], 'a was killed before')
  const [first, ...rest] = good('a').events
  const broken: Array<[Partial<JobHistory>, RegExp]> = [
    [{ events: rest }, /gaps/],
    [{ events: good('a').events.slice(0, -1) }, /0 ends/],
    [{ status: 'running' }, /no end/],
    [{ steps: [] }, /tell of step-1/],
    [{ attempt: 0 }, /attempt 0 after 1 claims/],
    [{ wanted: 2 }, /after 1 of 2 steps/],
  ]
  t.ok(first)
  for (const [more, problem] of broken) {
    t.ok(
      violations([{ ...good('a'), ...more }], notes, []).some(found => problem.test(found)),
      String(problem),
    )
  }
  const late: JobHistory = {
    ...good('a'),
    wanted: 2,
    attempt: 2,
    steps: [
      { name: 'step-1', run: 'a 2' },
      { name: 'step-2', run: 'a 1' },
    ],
  }
  const twice = [...runOf('a', 'w0', 1_100, 1_900), { at: 2_500, worker: 'w1', kind: 'begin', job: 'a', run: 'a 2' }]
  t.ok(violations([late], twice as WorkerNote[], []).some(found => /after its successor/.test(found)))
})
