import { test } from 'tap'
import type { ResolutionAnswer, ResolveInput } from '../../src/contract/resolution.ts'
import { FaultlineError } from '../../src/core/errors.ts'
import { findFaults, MAX_FAULTS, partOf, placeOf, resolveFaults } from '../../src/core/faults.ts'

const exception = (index: number, chain: number, fingerprint: string | null, relation = 'root') => ({
  index,
  chain,
  fingerprint,
  relation: relation as 'root',
  type: 'Error',
  message: `message ${index}`,
  language: 'python',
  count: 1,
})

const frame = (of: number, inProject: boolean) => ({ exception: of, in_project: inProject })

const LOG = {
  exceptions: [
    exception(0, 0, 'aa', 'cause'),
    exception(1, 0, 'bb'),
    exception(2, 1, 'bb'),
    exception(3, 2, 'cc'),
    exception(4, 3, 'dd', 'separate'),
    exception(5, 4, null),
  ],
  frames: [frame(0, true), frame(1, false), frame(2, true), frame(3, false), frame(4, true)],
}

const isOurs = ({ in_project: inProject }: { in_project: boolean }) => inProject

/** As much of an answer as is looked at. */
const answerOf = (part: object) => ({ project_name: 'shop', commit: 'c'.repeat(40), ...part }) as ResolutionAnswer

test('of equal faults the first counts; warnings and what has no fingerprint are none', async t => {
  t.same(findFaults(LOG, isOurs), { faults: [1, 3], frames: [2, 1], left: 0, passedOver: 1 })
})

test('where there are too many, those with code of the project are kept, in the order of the log', async t => {
  const many = {
    exceptions: Array.from({ length: MAX_FAULTS + 5 }, (_, at) => exception(at, at, String(at))),
    frames: Array.from({ length: MAX_FAULTS + 5 }, (_, at) => frame(at, at >= 10)),
  }
  const { faults, left } = findFaults(many, isOurs)
  t.equal(left, 5)
  t.same(faults, [0, 1, 2, 3, 4, ...Array.from({ length: 15 }, (_, at) => at + 10)])
})

test('a fault has its whole chain, and keeps its numbers', async t => {
  const { exceptions, frames } = partOf(LOG, 1)
  t.same(
    exceptions.map(({ index }) => index),
    [0, 1],
  )
  t.same(frames, [frame(0, true), frame(1, false)])
})

test('each fault is resolved by itself, after the log was looked through without a model', async t => {
  const asked: ResolveInput[] = []
  const report = await resolveFaults(
    async input => {
      asked.push(input)
      return answerOf(LOG)
    },
    { project_name: 'shop', stacktrace: 'log', mode: 'answer', ref: 'abc' },
  )
  t.match(asked, [
    { mode: 'context', detail: 'full', ref: 'abc' },
    { mode: 'answer', exception: 1, ref: 'abc' },
    { mode: 'answer', exception: 3, ref: 'abc' },
  ])
  t.match(report, { projectName: 'shop', left: 0 })
  t.match(report.resolutions, [
    { exceptions: { length: 2 }, frames_total: 2, frames_omitted: 0 },
    { exceptions: [{ index: 3 }], frames_total: 1 },
  ])
  t.equal(placeOf(report.resolutions), 'project')
  t.equal(placeOf(report.resolutions.slice(1)), 'elsewhere')
})

test('one exception that is asked for is the only one that is answered about', async t => {
  const { resolutions, left } = await resolveFaults(async () => answerOf(LOG), {
    project_name: 'shop',
    stacktrace: 'log',
    exception: 3,
  })
  t.match(resolutions, [{ exceptions: [{ index: 3 }] }])
  t.equal(resolutions.length, 1)
  t.equal(left, 0)
})

test('a commit that cannot be had costs only the exact lines', async t => {
  const { resolutions } = await resolveFaults(
    async ({ ref }) => {
      if (ref !== undefined) throw new FaultlineError('REF_NOT_FOUND', 'No clone has it.')
      return answerOf({ ...LOG, notice: 'Doubtful.' })
    },
    { project_name: 'shop', stacktrace: 'log', ref: 'abc' },
  )
  t.equal(
    resolutions[0]?.notice,
    'No clone has it. The code is read as it was indexed, at commit cccccccccccc. Doubtful.',
  )
})

test('a text with nothing in it has no fault, and any other failure is one', async t => {
  const failing = (code: 'NO_STACK_TRACE' | 'PROJECT_NOT_FOUND') =>
    resolveFaults(
      async () => {
        throw new FaultlineError(code, 'Failed.')
      },
      { project_name: 'shop', stacktrace: '---' },
    )
  const empty = await failing('NO_STACK_TRACE')
  t.same(empty, { projectName: 'shop', resolutions: [], left: 0 })
  t.equal(placeOf(empty.resolutions), 'none')
  await t.rejects(failing('PROJECT_NOT_FOUND'), { code: 'PROJECT_NOT_FOUND' })
})
