import { test } from 'tap'
import { EntryQueue, type HeldEntry } from '../../../../src/jobs/hand-out/pg-boss/entry-queue.ts'
import type { Queryable } from '../../../../src/postgres/database.ts'

const NO_DATABASE = {} as Queryable

const entryOf = (id: string): HeldEntry =>
  ({ id, name: 'jobs', data: { seq: 7, type: 'clone', projectName: null, exclusiveKey: null } }) as unknown as HeldEntry

test('an entry that was given back is held no more, and the one that came after it still is', async t => {
  const queue = new EntryQueue({
    connection: {},
    schema: 'queue',
    isBeside: () => false,
    node: null,
    onError: () => {},
  })
  const [first, second] = [entryOf('first'), entryOf('second')]
  queue.hold(first)
  queue.release(first)
  t.equal(await queue.claimed(NO_DATABASE, 7), false)
  await queue.finished(NO_DATABASE, 7)
  queue.hold(first)
  queue.hold(second)
  queue.release(first)
  await t.rejects(queue.finished(NO_DATABASE, 7), /not opened/, 'pg-boss is to delete the second one')
})
