import { test } from 'tap'
import { type Run, openCloneJobs, untilAborted } from '../fixture.ts'

test('a step that is cut off after it kept files finds, run again, what it found the first time', async t => {
  const kept = Promise.withResolvers<undefined>()
  let tries = 0
  const run: Run = async ({ step, files }) => {
    await step('write', () =>
      files.put(
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
      ),
    )
    const version = await step('list', async () => files.list())
    await step('append', async signal => {
      await files.put(
        new Map<string, string | null>([
          ['a', `${(await files.read('a')).toString()}x`],
          ['b', null],
          ...(tries === 0 ? [['c', ''] as const] : []),
        ]),
      )
      if (tries++ > 0) return
      kept.resolve(undefined)
      await untilAborted(signal)
    })
    const [old] = version
    return {
      a: (await files.read('a')).toString(),
      paths: (await files.list()).map(({ path }) => path),
      old: old === undefined ? null : (await files.readVersion(old)).toString(),
    }
  }
  const first = await openCloneJobs(t, run)
  const { job } = await first.jobs.create('clone', {})
  await kept.promise
  await first.close()
  const second = await openCloneJobs(t, run, { root: first.root })
  t.same((await second.jobs.settled(job.id, 10_000)).result, { a: '1x', paths: ['a'], old: '1' })
  t.equal(tries, 2)
})
