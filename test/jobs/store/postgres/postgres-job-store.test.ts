import t from 'tap'
import { PostgresJobStore } from '../../../../src/jobs/store/postgres/postgres-job-store.ts'
import { jobStoreContract } from '../../../contracts/job-store.ts'
import { overPostgres } from '../../../helpers/postgres.ts'

overPostgres(t, (t, openEmpty) => {
  jobStoreContract(t, async (_t, now) => new PostgresJobStore(await openEmpty(), { now }))
})
