import t from 'tap'
import { PostgresJobStore } from '../../../../src/jobs/store/postgres/postgres-job-store.ts'
import { sessionStoreContract } from '../../../contracts/session-store.ts'
import { overPostgres } from '../../../helpers/postgres.ts'

overPostgres(t, (t, openEmpty) => {
  sessionStoreContract(t, async (_t, now) => new PostgresJobStore(await openEmpty(), { now }).sessions)
})
