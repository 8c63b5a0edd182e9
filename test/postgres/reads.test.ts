import { test } from 'tap'
import { migrate } from '../../src/postgres/migrate.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPair } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'

test(
  'a replica answers lists while it is near, and the primary otherwise',
  { skip: noPostgres(ANY_VERSION) },
  async t => {
    const pair = await startPair()
    t.teardown(() => pair.close())
    const { primary, standby } = pair
    const { pathname } = new URL(`postgres://one${(await pair.createDatabase()).replace(/^.*\//, '/')}`)
    const at = ({ port }: { port: number }) => `postgres://postgres@127.0.0.1:${port}${pathname}`
    const settings = databaseSettings(at(primary), { readUrl: at(standby) })
    const db = openDatabase(settings, { name: 'reads.test', onError: () => {} })
    t.teardown(() => db.close())
    await migrate(db, settings.schema)
    const answers = async (server: { port: number }): Promise<boolean> => {
      const { rows } = await db.reads.query("SELECT current_setting('port')::int AS port")
      return rows[0]?.port === server.port
    }
    const beat = async (at: string) => {
      await db.query(
        `INSERT INTO nodes (name, instance, roles, version, schema_version, load, heartbeat_at)
       VALUES ('one', gen_random_uuid(), '{}', '1', 1, '{}', ${at})
       ON CONFLICT (name) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
      )
    }

    t.ok(await answers(primary), 'of a replica nothing is known yet')
    await beat("now() + interval '1 hour'")
    t.ok(await eventually(() => answers(standby)))

    await beat("now() - interval '1 minute'")
    t.ok(await eventually(() => answers(primary)), 'one that is behind is not asked')
    await beat("now() + interval '1 hour'")
    t.ok(await eventually(() => answers(standby)))

    await t.rejects(db.reads.query('SELECT nonsense'), { code: '42703' })
    await standby.crash()
    t.ok(await answers(primary), 'one that is away is missed by nobody')
    await standby.start()
    t.ok(await eventually(() => answers(standby)), 'and asked again when it is back')
  },
)
