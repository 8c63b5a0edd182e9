import { test } from 'tap'
import type { BisectInput } from '../../../src/contract/bisect.ts'
import { FaultlineError } from '../../../src/core/errors.ts'
import { findRange, type RangeDeps } from '../../../src/pipelines/bisect/range.ts'

const id = (digit: string) => digit.repeat(40)
const INPUT: BisectInput = { project_name: 'shop', good: 'v1', command: 'true' }

/** Finds a range in a clone that is scripted; gives the calls of git and what was told. */
async function find(git: Partial<RangeDeps['git']>, input: BisectInput = INPUT) {
  const calls: string[] = []
  const told: string[] = []
  const scripted: RangeDeps['git'] = {
    history: async () => 'full',
    fetchHistory: async () => 'full',
    fetchRef: async ({ ref }) => ({ commit: id(ref === 'v1' ? 'a' : 'b') }),
    bisectRange: async ({ good }) => ({ bases: [good], commits: 5, cutOff: 0 }),
    ...git,
  }
  const noted = Object.fromEntries(
    Object.entries(scripted).map(([name, run]) => [
      name,
      (...args: never[]) => {
        calls.push(name)
        return (run as (...given: never[]) => unknown)(...args)
      },
    ]),
  ) as unknown as RangeDeps['git']
  const job = { log: (text: string) => told.push(text), progress: () => {} }
  const deps = { git: noted, commitOf: async () => ({ repository: 'shop', commit: id('c') }) }
  const range = await findRange(job, deps, input, new AbortController().signal)
  return { range, calls, told }
}

test('the bad end is the indexed commit unless it is named', async t => {
  t.match((await find({})).range, { repository: 'shop', good: id('a'), bad: id('c'), bases: [id('a')], commits: 5 })
  t.match((await find({}, { ...INPUT, bad: 'main' })).range, { good: id('a'), bad: id('b') })
})

test('a history that is missing is fetched first, again where something went before it', async t => {
  let left = 2
  const { calls, told } = await find({
    history: async () => 'shallow',
    fetchHistory: async () => (left-- > 0 ? 'interrupted' : 'full'),
  })
  t.same(calls, ['history', 'fetchHistory', 'fetchHistory', 'fetchHistory', 'fetchRef', 'bisectRange'])
  t.same(told, [])
})

test('a history that cannot be fetched is told of, and what is there is searched', async t => {
  const failing = (error: Error) => ({
    history: async () => 'shallow' as const,
    fetchHistory: async () => {
      throw error
    },
  })
  const { range, told } = await find(failing(new FaultlineError('REPOSITORY_UNREACHABLE', 'No answer.')))
  t.equal(range.good, id('a'))
  t.same(told, ['The history could not be fetched: No answer.'])
  await t.rejects(find(failing(new Error('a bug'))), { message: 'a bug' })
})

test('a range whose history is cut off, or too short, is told of', async t => {
  const cut = await find({ bisectRange: async ({ good }) => ({ bases: [good], commits: 5, cutOff: 2 }) })
  t.same(cut.told, ['The history of 2 commits among them is not in the clone.'])
  await t.rejects(find({ bisectRange: async () => ({ bases: [], commits: 9, cutOff: 1 }) }), {
    code: 'VALIDATION_FAILED',
    message:
      /^Nothing in the clone connects good \(a{10}\) and bad \(c{10}\): .* a year of history, or 5,000 commits\.$/,
  })
  await t.rejects(find({ fetchRef: async () => ({ commit: null, reason: 'its remote has none' }) }), {
    code: 'REF_NOT_FOUND',
    message: 'There is no commit, tag or branch "v1" in shop: its remote has none.',
  })
})
