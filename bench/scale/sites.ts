// One process, and nodes on one database, each in processes of their own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startServerProcess, type ServerProcess } from '../../test/helpers/server-process.ts'
import { startPostgres, type TestPostgres } from '../../test/helpers/postgres.ts'
import { usageOf } from '../measure.ts'

/** Processor milliseconds of the servers with all below them, and of the database. */
export interface Used {
  serversMs: number
  databaseMs: number
}

/** Servers that answer for the same projects. */
export interface Site {
  name: string
  /** Of those that answer requests. */
  urls: readonly string[]
  used(): Used
  /** Until all that earlier work left to do in the background is done. */
  idle(): Promise<void>
  end(): Promise<void>
}

/** Nodes on one database and one object store. */
export interface ClusterSite extends Site {
  /** Folder of the object store; null where objects are in the database. */
  objects: string | null
  /** Ends the nodes that answer, and starts one with empty folders. */
  restartCold(): Promise<ServerProcess>
}

interface SiteOptions {
  root: string
  env: Record<string, string>
}

const SECRET = 'a-secret-of-at-least-24-characters'
const LOOK_MS = 50
/** What waits for calm, as histories and answers that are kept do, begins within it. */
const CALM_MS = 2_500
/** Of all servers in that time: heartbeats take less. */
const CALM_CPU_MS = 250

const pidOf = ({ child }: ServerProcess): number => child.pid ?? 0

/** Counts what the servers use; what ended ones used is kept. */
function createMeter(database: TestPostgres | null) {
  const running = new Set<ServerProcess>()
  let endedMs = 0
  const usedMs = (): number => endedMs + [...running].reduce((sum, server) => sum + usageOf(pidOf(server)).cpuMs, 0)
  return {
    add(server: ServerProcess): ServerProcess {
      running.add(server)
      return server
    },
    async end(server: ServerProcess): Promise<void> {
      endedMs += usageOf(pidOf(server)).cpuMs
      running.delete(server)
      await server.end('SIGTERM')
    },
    used: (): Used => ({
      serversMs: usedMs(),
      databaseMs: database === null ? 0 : usageOf(database.pid).cpuMs,
    }),
    async idle(): Promise<void> {
      for (;;) {
        const before = usedMs()
        await wait(CALM_MS)
        if (usedMs() - before <= CALM_CPU_MS) return
      }
    },
    all: () => [...running],
  }
}

/** Processes with everything embedded, each of which knows nothing of the others. */
async function startProcesses({ root, env }: SiteOptions, folders: readonly string[]): Promise<Omit<Site, 'name'>> {
  const meter = createMeter(null)
  const servers: ServerProcess[] = []
  for (const folder of folders) servers.push(meter.add(await startServerProcess(join(root, folder), env)))
  return {
    urls: servers.map(({ url }) => url),
    used: meter.used,
    idle: meter.idle,
    async end() {
      for (const server of servers) await meter.end(server)
    },
  }
}

/** One process with everything embedded. */
export const startSingle = async (options: SiteOptions): Promise<Site> => ({
  name: 'one process',
  ...(await startProcesses(options, ['single'])),
})

/** As many processes as nodes answer: what they take beyond one is the machine's doing. */
export const startPair = async (options: SiteOptions): Promise<Site> => ({
  name: 'two processes, each for itself',
  ...(await startProcesses(options, ['pair-1', 'pair-2'])),
})

/** Resolves when a node sees so many alive. */
async function untilSeen(url: string, count: number): Promise<void> {
  for (;;) {
    const { nodes } = (await (await fetch(`${url}/cluster`)).json()) as { nodes: Array<{ alive: boolean }> }
    if (nodes.filter(({ alive }) => alive).length >= count) return
    await wait(LOOK_MS)
  }
}

/** Two nodes that answer and two that work, over PostgreSQL 18 whose commits reach the disk, as those of SQLite do. */
export async function startCluster({
  root,
  env,
  objectsIn,
}: SiteOptions & { objectsIn: 'folder' | 'postgres' }): Promise<ClusterSite> {
  const database = await startPostgres(18, { durable: true })
  const meter = createMeter(database)
  const objects = objectsIn === 'folder' ? join(root, 'objects') : null
  if (objects !== null) mkdirSync(objects)
  const shared = {
    DATABASE_URL: await database.createDatabase(),
    OBJECT_STORE_URL: objects === null ? 'postgres:' : pathToFileURL(objects).href,
    CLUSTER_SECRET: SECRET,
  }
  const start = async (name: string, role: string): Promise<ServerProcess> =>
    meter.add(await startServerProcess(join(root, name), { ...env, ...shared, ROLE: role, NODE_NAME: name }))
  const answering = [await start('http-1', 'http'), await start('http-2', 'http')]
  const working = [await start('worker-1', 'worker'), await start('worker-2', 'worker')]
  for (const { url } of answering) await untilSeen(url, answering.length + working.length)
  return {
    name: 'two nodes that answer, two that work',
    urls: answering.map(({ url }) => url),
    objects,
    used: meter.used,
    idle: meter.idle,
    async restartCold() {
      for (const server of answering) await meter.end(server)
      return start('cold', 'http')
    },
    async end() {
      for (const server of meter.all()) await meter.end(server)
      await database.close()
    },
  }
}
