import { test } from 'tap'
import { PostgresFeatures } from '../../../../src/jobs/store/postgres/features.ts'
import type { RunWrites } from '../../../../src/jobs/store/postgres/run-writes.ts'
import type { Database } from '../../../../src/postgres/database.ts'

const RUN = { seq: 7, attempt: 1 }
const WANTED = {
  jobId: 'one',
  projectName: 'shop',
  repository: 'shop',
  branch: 'feat/x',
  baseBranch: 'main',
  baseCommit: 'a'.repeat(40),
}

/** A database in which another feature has the branch, and whose writes fail with this code. */
function failingWith(code: string): PostgresFeatures {
  const db = { query: async () => ({ rows: [] }) } as unknown as Database
  const fail = async () => {
    throw Object.assign(new Error(`it failed with ${code}`), { code })
  }
  return new PostgresFeatures(db, { need: fail, write: fail } as unknown as RunWrites)
}

test('a branch counts as taken where another feature took it, not where the database failed', async t => {
  t.equal(await failingWith('23505').claim(RUN, WANTED), false)
  await t.rejects(failingWith('57P01').claim(RUN, WANTED), { code: '57P01' })
})
