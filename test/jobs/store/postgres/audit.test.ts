import t from 'tap'
import { PostgresJobStore } from '../../../../src/jobs/store/postgres/postgres-job-store.ts'
import { auditStoreContract } from '../../../contracts/audit-store.ts'
import { overPostgres } from '../../../helpers/postgres.ts'

overPostgres(t, (t, openEmpty) => {
  auditStoreContract(t, async (_t, now) => new PostgresJobStore(await openEmpty(), { now }).audit)
})
