import { once } from 'node:events'
import { test, type Test } from 'tap'
import { openListener, type Listener } from '../../src/postgres/listener.ts'
import { clientConfig, openDatabase } from '../../src/postgres/pool.ts'
import { databaseUnavailable } from '../../src/postgres/trouble.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

/** A port that nothing listens on. */
const NOWHERE = 1

/** Hears of a channel, and gives what came as one may await it. */
function ear(listener: Listener, channel: string) {
  const heard = new EventTarget()
  const items: string[] = []
  let looks = 0
  const end = listener.on(channel, found => {
    if (found === null) looks++
    else items.push(...found)
    heard.dispatchEvent(new Event('heard'))
  })
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await once(heard, 'heard')
  }
  return {
    items,
    end,
    hears: (item: string) => until(() => items.includes(item)),
    looks: (n: number) => until(() => looks >= n),
  }
}

test('nodes hear of what others notify', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const url = await server.createDatabase()
  function openNode(t: Test, onError: (error: unknown) => void = () => {}, at = url): Listener {
    const settings = databaseSettings(at)
    const db = openDatabase(settings, { name: 'node', onError: () => {} })
    const listener = openListener(db, settings, { name: 'node', onError })
    t.teardown(async () => {
      await listener.close()
      await db.close()
    })
    return listener
  }

  await t.test('each item comes to all who listen, themselves too, and to no others', async t => {
    const [one, two] = [openNode(t), openNode(t)]
    const [first, second, other] = [ear(one, 'jobs'), ear(two, 'jobs'), ear(two, 'nodes')]
    await Promise.all([first.looks(1), second.looks(1), other.looks(1)])
    const ids = Array.from({ length: 1_000 }, (_, index) => `job-${index}-with-a-name-of-some-length`)
    for (const id of ids) one.notify('jobs', id)
    await Promise.all([
      first.hears('job-999-with-a-name-of-some-length'),
      second.hears('job-999-with-a-name-of-some-length'),
    ])
    t.same(first.items, ids)
    t.same(second.items, ids)
    two.notify('nodes', 'last')
    await other.hears('last')
    t.same(other.items, ['last'])
    t.throws(() => one.on('no channel; DROP', () => {}))
  })

  await t.test('after a break everybody looks at everything, and hears again', async t => {
    const errors: unknown[] = []
    const node = openNode(t, error => errors.push(error))
    const { looks, hears } = ear(node, 'jobs')
    await looks(1)
    await server.crash()
    await server.start()
    await looks(2)
    node.notify('jobs', 'again')
    await hears('again')
    t.ok(errors.length > 0)
  })

  await t.test('what could not be notified is notified when the database is back', async t => {
    const { looks, hears, items } = ear(openNode(t), 'jobs')
    await looks(1)
    const proxy = await startTcpProxy(server.port)
    t.teardown(() => proxy.close())
    const failed = Promise.withResolvers<unknown>()
    const away = openNode(t, failed.resolve, url.replace(`:${server.port}/`, `:${proxy.port}/`))
    await ear(away, 'jobs').looks(1)
    proxy.to = NOWHERE
    away.notify('jobs', 'meanwhile')
    await failed.promise
    away.notify('jobs', 'this, too')
    proxy.to = server.port
    await Promise.all([hears('meanwhile'), hears('this, too')])
    t.same(items.toSorted(), ['meanwhile', 'this, too'])
  })

  await t.test('what cannot be notified is reported, and nothing fails', async t => {
    const settings = databaseSettings(url)
    const closed = openDatabase(settings, { name: 'node', onError: () => {} })
    await closed.close()
    const failed = Promise.withResolvers<unknown>()
    const listener = openListener(closed, settings, { name: 'node', onError: failed.resolve })
    listener.notify('jobs', 'x')
    t.match(await failed.promise, Error)
    await listener.close()
  })
})

test('what a URL says of TLS is what is done', async t => {
  const ssl = (parameters: string) => clientConfig(databaseSettings(`postgres://me@db/shop${parameters}`), 'x').ssl
  t.equal(ssl(''), false)
  t.match(ssl('?sslmode=require'), { rejectUnauthorized: false })
  t.notMatch(ssl('?sslmode=verify-full'), { rejectUnauthorized: false })
  t.match(databaseUnavailable(Object.assign(new Error('x'), { code: '57P01' })), { message: /57P01/ })
})
