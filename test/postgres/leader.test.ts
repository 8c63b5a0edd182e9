import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'tap'
import { openLeadership } from '../../src/postgres/leader.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'

const SEAT = 7

test('a seat', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const settings = databaseSettings(await server.createDatabase())
  /** A node, and the signal of each time that it wins the seat. */
  function openNode(seat = SEAT) {
    const wins: AbortSignal[] = []
    const won = new EventTarget()
    const leadership = openLeadership(settings, {
      name: 'node',
      seat,
      onWon(signal) {
        wins.push(signal)
        won.dispatchEvent(new Event('won'))
      },
      onError: () => {},
    })
    t.teardown(() => leadership.close())
    const untilWon = async (times: number): Promise<AbortSignal | undefined> => {
      while (wins.length < times) await once(won, 'won')
      return wins[times - 1]
    }
    return { leadership, wins, untilWon }
  }

  const first = openNode()
  const signal = await first.untilWon(1)
  t.ok(first.leadership.isHeld)
  const second = openNode()
  await openNode(SEAT + 1).untilWon(1)
  t.same(second.wins, [], 'another seat is nothing to this one')

  await t.test('is won by the next node when its holder leaves', async t => {
    await first.leadership.close()
    t.equal(signal?.aborted, true)
    t.notOk(first.leadership.isHeld)
    await second.untilWon(1)
    t.ok(second.leadership.isHeld)
  })

  await t.test('is lost with the connection, and won again', async t => {
    const db = openDatabase(settings, { name: 'operator', onError: () => {} })
    t.teardown(() => db.close())
    const held = await second.untilWon(1)
    await db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted`,
      [SEAT],
    )
    await second.untilWon(2)
    t.equal(held?.aborted, true)
  })

  await t.test('of a holder that stands still is given up by the database', async t => {
    const program = `
      import { openLeadership } from ${JSON.stringify(import.meta.resolve('../../src/postgres/leader.ts'))}
      openLeadership(JSON.parse(process.argv[1]), {
        name: 'stopped', seat: 9, onWon: () => console.log('won'), onError: () => {},
      })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGSTOP')
    await openNode(9).untilWon(1)
    t.equal(child.exitCode, null, 'it is still there')
  })
})
