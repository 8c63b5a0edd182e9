import { join } from 'node:path'
import { openCluster } from '../../../src/jobs/hand-out/pg-boss/open-cluster.ts'
import { Jobs, type JobsOptions } from '../../../src/jobs/jobs.ts'
import { openListener } from '../../../src/postgres/listener.ts'
import { migrate } from '../../../src/postgres/migrate.ts'
import { clientConfig, openDatabase } from '../../../src/postgres/pool.ts'
import { JOBS_LIMITS } from '../jobs-defaults.ts'
import { databaseSettings } from '../postgres.ts'

interface NodeOptions extends Partial<JobsOptions> {
  url: string
  name: string
  /** A folder of its own. */
  root: string
  definitions: JobsOptions['definitions']
}

/** One node of a cluster, in this process. */
export async function openNode({ url, name, root, onError = () => {}, ...options }: NodeOptions) {
  const settings = databaseSettings(url, { poolSize: 8, connectTimeoutMs: 3_000, statementTimeoutMs: 3_000 })
  const report = (error: unknown) => onError(error, null)
  const db = openDatabase(settings, { name, onError: report })
  await migrate(db, settings.schema)
  const listener = openListener(db, settings, { name, onError: report })
  const { types: _types, ...connection } = clientConfig(settings, `${name} hands out`)
  const cluster = await openCluster({
    db,
    listener,
    connection,
    schema: settings.schema,
    isBeside: type => options.definitions[type]?.isBeside === true,
    node: options.isWorker === false ? null : name,
    onError: report,
  })
  const jobs = new Jobs({
    ...JOBS_LIMITS,
    queueLimit: 10_000,
    ...options,
    store: cluster.store,
    handOut: cluster.handOut,
    newsLine: cluster.newsLine,
    workspacesDir: join(root, `workspaces-${name}`),
    onError,
  })
  await jobs.start()
  return {
    jobs,
    db,
    async close() {
      await jobs.stop()
      await cluster.close()
      await listener.close()
      await db.close()
    },
  }
}
