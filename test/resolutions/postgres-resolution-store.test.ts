import t from 'tap'
import { PostgresResolutionStore } from '../../src/resolutions/postgres-resolution-store.ts'
import { createPostgresCiRuns } from '../../src/resolutions/postgres-ci-runs.ts'
import { ciRunsContract } from '../contracts/ci-runs.ts'
import { resolutionStoreContract } from '../contracts/resolution-store.ts'
import { overPostgres } from '../helpers/postgres.ts'

overPostgres(t, (t, openEmpty) => {
  resolutionStoreContract(t, async () => new PostgresResolutionStore(await openEmpty()))
  ciRunsContract(t, async () => createPostgresCiRuns(await openEmpty()))
})
