import { test } from 'tap'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { flagsFrom, integerOption, jobFailure } from '../../src/cli/session.ts'
import type { JobAnswer } from '../../src/contract/job.ts'

test('--data-dir moves all folders, each of the others only its own', async t => {
  const flags = flagsFrom({ dataDir: 'data' }, '/srv')
  t.equal(flags.DATA_DIR, '/srv/data')
  for (const folder of Object.values(flags)) t.match(folder, /^\/srv\/data/)
  t.same(flagsFrom({ vectorStoreDir: 'v' }, '/srv'), { VECTOR_STORE_DIR: '/srv/v' })
  t.same(flagsFrom({}, '/srv'), {})
})

test('whole numbers are taken within their bounds only', async t => {
  const read = integerOption('--limit', 1, 50)
  t.equal(read('50'), 50)
  for (const text of ['0', '51', '1.5', '-1', 'x', '']) t.throws(() => read(text), text)
})

test('a job that failed is an error with what to do, one that waits or succeeded is none', async t => {
  const job = (fields: object) => ({ id: 'job_1', status: 'failed', error: null, ...fields }) as unknown as JobAnswer
  t.equal(jobFailure(job({ status: 'succeeded' })), null)
  t.equal(jobFailure(job({ status: 'waiting' })), null)
  t.match(jobFailure(job({ status: 'cancelled' })), { code: 'CANCELLED', fix: /jobs retry job_1/ })
  t.match(jobFailure(job({ error: { code: 'DISK_FULL', message: 'Full.', fix: 'Free some.' } })), {
    code: 'DISK_FULL',
    fix: 'Free some.',
    exitCode: EXIT.missing,
  })
})
