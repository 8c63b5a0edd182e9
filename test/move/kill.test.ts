import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { lockFolders } from '../../src/jobs/lock.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { undoMove } from '../../src/services/move.ts'
import { buildApp } from '../helpers/build-app.ts'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { moveConfig, moveNow, PAINTING, tellAll, workOnSingleMachine } from '../helpers/single-machine.ts'
import { testFolder } from '../helpers/test-folder.ts'

const PROCESS = fileURLToPath(new URL('../helpers/move-process.ts', import.meta.url))
/** Reports of progress after which the process kills itself: in each part, and while both sides are compared. */
const POINTS = [1, 6, 9, 17, 22, 25, 27, 29, 46]

/** Names of all files; SQLite keeps two beside a database that somebody reads. */
const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => !/\.sqlite-(?:wal|shm)$/.test(name))
    .sort()

test('a move that is killed goes on', { skip: noPostgres(ANY_VERSION), timeout: 300_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const top = testFolder(t)
  const databaseUrl = await server.createDatabase()
  const single = await workOnSingleMachine(t, join(top, 'single'))
  const env = { ALLOW_LOCAL_REPOS: single.reposDir }
  const nodeEnv = { ...env, DATABASE_URL: databaseUrl, CLUSTER_SECRET }
  const config = moveConfig(single.root, databaseUrl, env)
  const db = openDatabase(databaseSettings(databaseUrl), { name: 'test', onError() {} })
  t.teardown(() => db.close())

  const startNode = (root = join(top, 'node')) => buildApp(t, { root, definitions: PAINTING, env: nodeEnv })
  const startSingle = (root: string) => buildApp(t, { root, definitions: PAINTING, env })

  /** Moves in a process; null where it killed itself. */
  function moveIn(root: string, direction: string, reports: number): Promise<{ seen: number } | null> {
    const options = { env: { ...CHILD_ENV, HOME: root, DATABASE_URL: databaseUrl, ...env } }
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [PROCESS, root, direction, String(reports)], options, (error, stdout, stderr) => {
        if (error?.signal === 'SIGKILL') resolve(null)
        else if (error === null) resolve(JSON.parse(stdout) as { seen: number })
        else reject(new Error(stderr))
      })
    })
  }

  await t.test('what stands in the way is told before anything changes', async t => {
    const before = filesBelow(single.root)
    const checked = await moveNow(config, 'to_cluster', { checkOnly: true })
    t.match(checked, { outcome: 'possible', parts: [{ name: 'rows' }, { items: 2 }, {}, { items: 5 }, {}] })
    t.same(filesBelow(single.root), before)
    const { rows } = await db.query("SELECT to_regnamespace('faultline') IS NULL AS is_none")
    t.match(rows, [{ is_none: true }], 'not even the schema is made')
    {
      using lock = lockFolders({ DATA_DIR: join(single.root, 'data') })
      lock.announce('http://127.0.0.1:1')
      await t.rejects(moveNow(config, 'to_cluster'), { code: 'DATA_DIR_LOCKED' })
      const locked = await moveNow(config, 'to_cluster', { checkOnly: true })
      t.match(locked, {
        outcome: 'refused',
        obstacles: [{ message: /Another process works in DATA_DIR=.*faultline, process/ }],
      })
    }
    await t.rejects(moveNow(moveConfig(join(top, 'none'), databaseUrl), 'to_cluster'), {
      message: /is not that of a single/,
    })

    const old = join(top, 'old')
    cpSync(single.root, old, { recursive: true })
    const file = new DatabaseSync(join(old, 'data', 'jobs.sqlite'))
    const setVersion = (version: number) => file.exec(`PRAGMA user_version = ${version}`)
    setVersion(3)
    await t.rejects(moveNow(moveConfig(old, databaseUrl), 'to_cluster'), { message: /format of an earlier release/ })
    setVersion(999)
    await t.rejects(moveNow(moveConfig(old, databaseUrl), 'to_cluster'), { message: /has format 999/ })
    file.close()

    const filled = await server.createDatabase()
    const own = moveConfig(single.root, filled, env)
    const other = await buildApp(t, {
      root: join(top, 'other'),
      definitions: PAINTING,
      env: { ...nodeEnv, DATABASE_URL: filled },
    })
    const inUse = await moveNow(own, 'to_cluster')
    t.match(inUse, { outcome: 'refused', obstacles: [{ message: /A node is connected/ }] })
    await other.services.jobs.settled((await other.services.jobs.create('task', {})).job.id, 20_000)
    await other.close()
    const full = await moveNow(own, 'to_cluster')
    t.match(full, { outcome: 'refused', obstacles: [{ message: /is not empty: there are rows in jobs, job_events/ }] })
    const newer = openDatabase(databaseSettings(filled), { name: 'test', onError() {} })
    await newer.query("INSERT INTO migrations (version, name, works_from) VALUES (99, 'later', 99)")
    await newer.close()
    await t.rejects(moveNow(own, 'to_cluster'), { code: 'CONFIG_INVALID', message: /this release .* cannot work/ })
    t.notOk(existsSync(join(single.root, 'data', '.move.json')), 'nothing is marked')
  })

  await t.test('there', async t => {
    for (const reports of POINTS) t.equal(await moveIn(single.root, 'to_cluster', reports), null, `after ${reports}`)
    await t.rejects(startSingle(single.root), { code: 'CONFIG_INVALID', message: /is being moved .* has not ended\.$/ })
    await t.rejects(startNode(), { code: 'CONFIG_INVALID', message: /is being filled from .* has not ended\.$/ })
    t.match(await moveIn(single.root, 'to_cluster', 0), { outcome: 'moved', isContinued: true })
    t.match(await moveIn(single.root, 'to_cluster', 0), { outcome: 'already_moved' })
    await t.rejects(startSingle(single.root), { message: /was moved to the cluster on .*; here is an old copy\.$/ })
    await t.rejects(startNode(single.root), { message: /was moved to the cluster on .*; here is an old copy\.$/ })
    const node = await startNode()
    t.same(await tellAll(node, single), single.told)
    await node.close()
  })

  await t.test('and back', async t => {
    const back = join(top, 'back')
    mkdirSync(back)
    t.match(await moveNow(config, 'from_cluster', { checkOnly: true }), {
      outcome: 'refused',
      obstacles: [{ message: /an old copy/ }],
    })
    for (const reports of POINTS) t.equal(await moveIn(back, 'from_cluster', reports), null, `after ${reports}`)
    await t.rejects(startNode(), { code: 'CONFIG_INVALID', message: /is being moved to .* has not ended\.$/ })
    await t.rejects(startSingle(back), { code: 'CONFIG_INVALID', message: /is being filled from .* has not ended\.$/ })
    t.match(await moveIn(back, 'from_cluster', 0), { outcome: 'moved', isContinued: true })
    const again = await startSingle(back)
    t.same(await tellAll(again, single), single.told)
    await again.close()
    await t.rejects(startNode(), { message: /was moved to .*; here is an old copy\.$/ })
  })

  await t.test('either source can be used again', async t => {
    t.match(await undoMove(config, 'to_cluster'), { wasOver: true })
    t.equal(await undoMove(config, 'to_cluster'), null)
    const old = await startSingle(single.root)
    t.same(await tellAll(old, single), single.told)
    await old.close()
    t.match(await undoMove(config, 'from_cluster'), { wasOver: true })
    const node = await startNode()
    t.same(await tellAll(node, single), single.told)
    await node.close()
  })
})
