import { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { test } from 'tap'
import { reportingFullDisk, requireFreeSpace } from '../../../src/vecstore/format/full-disk.ts'

test('a full disk, met by SQLite or by the file system, is DISK_FULL', async t => {
  using database = new DatabaseSync(':memory:')
  database.exec('PRAGMA max_page_count = 4; CREATE TABLE t (b)')
  await t.rejects(
    reportingFullDisk(async () => {
      database.prepare('INSERT INTO t VALUES (zeroblob(1000000))').run()
    }),
    { code: 'DISK_FULL' },
  )
  await t.rejects(
    reportingFullDisk(async () => {
      writeFileSync('/dev/full', 'x')
    }),
    { code: 'DISK_FULL' },
  )
  await t.rejects(
    reportingFullDisk(async () => {
      throw new TypeError('a bug')
    }),
    TypeError,
  )
})

test('free space is compared with what is needed', async t => {
  await t.resolves(requireFreeSpace(t.testdir(), 0))
  await t.rejects(requireFreeSpace(t.testdirName, 2 ** 62), { code: 'DISK_FULL' })
})
