import type { Test } from 'tap'
import type { Variables } from '../../src/config.ts'
import { buildApp, listen, type TestApp } from './build-app.ts'
import type { TestPostgres } from './postgres.ts'
import { eventually } from './processes.ts'

export const CLUSTER_SECRET = 'a-secret-of-at-least-24-characters'

/** A whole node of a test, in this process, with folders of its own. */
export interface TestNode extends TestApp {
  name: string
  url: string
}

/** Starts a node on a database. */
async function startNode(
  t: Test,
  databaseUrl: string,
  { name, env = {} }: { name: string; env?: Variables },
): Promise<TestNode> {
  const root = `${t.testdirName}/${name}`
  const built = await buildApp(t, {
    root,
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
  nodes: Record<string, { env?: Variables }>,
): Promise<TestNode[]> {
  const databaseUrl = await server.createDatabase()
  const started: TestNode[] = []
  for (const [name, { env = {} }] of Object.entries(nodes)) {
    started.push(await startNode(t, databaseUrl, { name, env }))
  }
  await seeEachOther(started)
  return started
}
