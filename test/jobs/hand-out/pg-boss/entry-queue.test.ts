import { test } from 'tap'
import { EntryQueue, type HeldEntry } from '../../../../src/jobs/hand-out/pg-boss/entry-queue.ts'
import { Values } from '../../../../src/jobs/store/postgres/values.ts'
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
  t.equal(queue.finished(new Values(), 7), null, 'there is no entry to delete')
  queue.hold(first)
  queue.hold(second)
  queue.release(first)
  const values = new Values()
  t.match(queue.finished(values, 7), /^DELETE /)
  t.match(values.list, ['jobs', 'second'])
})
