import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Variables } from '../../src/config.ts'
import { buildApp, cloneInto, listen, type TestApp } from './build-app.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { databaseSettings, type TestPostgres } from './postgres.ts'
import { eventually } from './processes.ts'
import { createShop } from './sample-repository.ts'

export const CLUSTER_SECRET = 'a-secret-of-at-least-24-characters'

interface NodeOptions {
  env?: Variables
  /** Folders whose indexes and clones it begins with; default: it has none. */
  from?: string
  /** The folder that its own is made in; default: that of the test. */
  below?: string
  definitions?: NonNullable<Parameters<typeof buildApp>[1]>['definitions']
  freeBytes?: NonNullable<Parameters<typeof buildApp>[1]>['freeBytes']
}

/** A whole node of a test, in this process, with folders of its own. */
export interface TestNode extends TestApp {
  name: string
  url: string
}

/** Folders of data in which the shop is cloned as each of these projects, to start nodes with. */
export async function cloneShopFor(t: Test, projects: readonly string[]): Promise<string> {
  const built = await buildApp(t, { root: `${t.testdirName}/cloned` })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  for (const project of projects) await cloneInto(t, built, { url: shop.dir, project_name: project })
  await built.services.idle()
  await built.close()
  return built.root
}

/** Lets all nodes know the projects that a node begins with: they have the same copies. */
export async function knowProjects(databaseUrl: string, folder: string): Promise<void> {
  const settings = databaseSettings(databaseUrl)
  const db = openDatabase(settings, { name: 'test', onError: () => {} })
  await migrate(db, settings.schema)
  for (const project of readdirSync(folder)) {
    if (!existsSync(join(folder, project, 'project.json'))) continue
    const file = JSON.parse(readFileSync(join(folder, project, 'project.json'), 'utf8')) as { created_at: string }
    await db.query('INSERT INTO projects (key, name, created_at) VALUES (lower($1), $1, $2) ON CONFLICT DO NOTHING', [
      project,
      file.created_at,
    ])
  }
  await db.close()
}

/** Starts a node on a database. */
async function startNode(
  t: Test,
  databaseUrl: string,
  { name, env = {}, from, below = t.testdirName, definitions, freeBytes }: NodeOptions & { name: string },
): Promise<TestNode> {
  const root = join(below, name)
  for (const folder of from === undefined ? [] : ['vector_store', 'cloned_repos']) {
    cpSync(join(from ?? '', folder), join(root, folder), { recursive: true })
  }
  if (from !== undefined) await knowProjects(databaseUrl, join(from, 'vector_store'))
  const built = await buildApp(t, {
    root,
    definitions,
    freeBytes,
    env: { DATABASE_URL: databaseUrl, NODE_NAME: name, CLUSTER_SECRET, ...env },
  })
  const url = await listen(t, built)
  await built.services.node.cluster?.registry.join(url)
  return { ...built, name, url }
}

/** Resolves when each of these nodes sees all of them. */
async function seeEachOther(nodes: readonly TestNode[]): Promise<void> {
  const sees = ({ services }: TestNode): boolean => {
    const alive = services.node.cluster?.registry.alive() ?? []
    return nodes.every(({ name }) => alive.some(one => one.name === name))
  }
  if (!(await eventually(() => nodes.every(sees)))) throw new Error('the nodes did not see each other')
}

/** Starts nodes on one new database; resolves when each sees all. */
export async function startNodes(
  t: Test,
  server: Pick<TestPostgres, 'createDatabase'>,
  nodes: Record<string, NodeOptions>,
): Promise<TestNode[]> {
  const databaseUrl = await server.createDatabase()
  const started: TestNode[] = []
  for (const [name, options] of Object.entries(nodes)) {
    started.push(await startNode(t, databaseUrl, { name, ...options }))
  }
  await seeEachOther(started)
  return started
}
