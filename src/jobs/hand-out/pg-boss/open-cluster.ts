import { randomBytes } from 'node:crypto'
import type { DatabaseOptions } from 'pg-boss'
import type { JobType } from '../../../core/job.ts'
import type { Database } from '../../../postgres/database.ts'
import type { Listener } from '../../../postgres/listener.ts'
import type { NewsLine } from '../../news.ts'
import { PostgresJobStore } from '../../store/postgres/postgres-job-store.ts'
import type { HandOut, HandOutOptions } from '../hand-out.ts'
import { EntryQueue } from './entry-queue.ts'
import { PgBossHandOut } from './pg-boss-hand-out.ts'

interface ClusterOptions {
  db: Database
  listener: Listener
  /** How pg-boss connects: it has a pool of its own. */
  connection: DatabaseOptions
  /** The schema of our tables; pg-boss gets one beside it. */
  schema: string
  isBeside: (type: JobType) => boolean
  /** The name of this node, if it runs jobs. */
  node: string | null
  onError: (error: unknown) => void
}

/** What `Jobs` of one node is made of, where several nodes work on one database. */
interface Cluster {
  store: PostgresJobStore
  handOut: (options: HandOutOptions) => HandOut
  newsLine: NewsLine
  /** Gives back what this node still holds; after `Jobs.stop`. */
  close(): Promise<void>
}

const CHANNELS = { changed: 'jobs_changed', cancelled: 'jobs_cancelled' } as const
const QUEUED = 'jobs_queued'
const TAG_BYTES = 3

/** Carries news over NOTIFY. What this node told itself it does not hear again. */
function createNewsLine(listener: Listener): NewsLine {
  const tag = randomBytes(TAG_BYTES).toString('hex')
  return {
    tell: (channel, item) => listener.notify(CHANNELS[channel], `${tag}${item}`),
    on(channel, hears) {
      listener.on(CHANNELS[channel], items => {
        const others = items?.filter(item => !item.startsWith(tag)).map(item => item.slice(tag.length)) ?? null
        if (others === null || others.length > 0) hears(others)
      })
    },
  }
}

/**
 * Opens what the nodes of a cluster share: the rows of jobs, the queue that hands them out, and the news.
 *
 * @throws What the database threw.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { db, listener, connection, isBeside, node, onError } = options
  const schema = `${options.schema}_queue`
  const queue = new EntryQueue({ connection, schema, isBeside, node, onError })
  await queue.open()
  // a write of a run waits for the database as long as the job may be its own
  const store = new PostgresJobStore(db, { handOut: queue, patience: { forMs: Infinity } })
  return {
    store,
    handOut(more) {
      const handOut = new PgBossHandOut({
        ...more,
        db,
        queue,
        schema,
        wakeAll: () => listener.notify(QUEUED, ''),
      })
      listener.on(QUEUED, () => handOut.look())
      return handOut
    },
    newsLine: createNewsLine(listener),
    close: () => queue.close(),
  }
}
