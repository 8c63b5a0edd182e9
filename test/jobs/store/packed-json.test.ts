import { test } from 'tap'
import type { JsonObject } from '../../../src/core/job.ts'
import { openCloneJobs } from '../fixture.ts'

test(
  'a body is read as it was given, be it small, large, or packed by the caller with fields that were ' +
    'changed since',
  async t => {
    const seen: JsonObject[] = []
    const { jobs } = await openCloneJobs(t, async ({ input }) => {
      seen.push(input)
      return {}
    })
    const log = `${'✓ passed "quoted" \\ \u001b[32m\n'.repeat(10_000)}\ud800`
    const sent = Buffer.from(JSON.stringify({ project: 'SHOP', log, commit: 'abc' }))
    const bodies: Array<[JsonObject, Parameters<typeof jobs.create>[2]?]> = [
      [{ project: 'shop', log: 'short' }],
      [{ project: 'shop', log }],
      [
        { project: 'shop', log: 'not this one', commit: 'abc' },
        { packed: { json: await jobs.pack(sent), fields: ['log'] } },
      ],
    ]
    for (const [body, options] of bodies) {
      const { job } = await jobs.create('clone', body, options)
      await jobs.settled(job.id, 10_000)
      t.same(seen.at(-1), await jobs.input(job.id))
      await jobs.settled((await jobs.retry(job.id, await jobs.input(job.id))).job.id, 10_000)
      t.same(seen.at(-1), await jobs.input(job.id))
    }
    t.same(
      seen.filter((_, index) => index % 2 === 0),
      [
        { project: 'shop', log: 'short' },
        { project: 'shop', log },
        { project: 'shop', log, commit: 'abc' },
      ],
    )
  },
)
