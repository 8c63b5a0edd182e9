import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { createRepos } from '../../src/repos/repos.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'

const signal = new AbortController().signal
const BRANCH = 'faultline/job-1'

const reposIn = (root: string) =>
  createRepos({
    clonedReposDir: join(root, 'cloned_repos'),
    allowLocalRepos: [],
    allowPrivateHosts: true,
    gitTokens: new Map(),
    sshKeysDir: null,
  })

/** The clones of a single machine, in which a job committed a branch. */
async function singleMachine(t: Test, root: string) {
  const built = await buildApp(t, { root })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  await cloneInto(t, built, { url: shop.dir, project_name: 'shop' })
  await built.services.idle()
  await built.close()
  const repos = reposIn(root)
  const of = { repository: 'shop', projectName: 'shop' }
  const base = shop.git('rev-parse', 'main')
  await repos.commitFiles({ ...of, base, branch: BRANCH, files: { a: '1\n' }, message: 'One\n', date: 1 }, signal)
  await repos.close()
  return { shop, reposDir: built.reposDir }
}

async function branchesIn(root: string): Promise<string[]> {
  const repos = reposIn(root)
  const own = await repos.ownBranches('shop')
  await repos.close()
  return own.map(({ branch }) => branch)
}

test('a node deletes no clone that it does not know', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const top = testFolder(t)
  const single = join(top, 'single')
  const { shop, reposDir } = await singleMachine(t, single)
  const DATABASE_URL = await server.createDatabase()
  const env = { DATABASE_URL, CLUSTER_SECRET, ALLOW_LOCAL_REPOS: reposDir }
  const nodeIn = (root: string) => buildApp(t, { root, env })

  await t.test('that of a project which no node knows', async t => {
    const root = join(top, 'unknown')
    cpSync(join(single, 'cloned_repos'), join(root, 'cloned_repos'), { recursive: true })
    await t.rejects(nodeIn(root), {
      code: 'CONFIG_INVALID',
      message: /do not know: shop\.$/,
      fix: /faultline move --to-cluster/,
    })
    t.same(await branchesIn(root), [BRANCH])
  })

  const node = await nodeIn(join(top, 'node'))
  await cloneInto(t, node, { url: shop.dir, project_name: 'shop' })

  await t.test('the branches of a project of the same name', async t => {
    const root = join(top, 'same-name')
    cpSync(join(single, 'cloned_repos'), join(root, 'cloned_repos'), { recursive: true })
    await t.rejects(nodeIn(root), { code: 'CONFIG_INVALID', message: /do not know: faultline\/job-1\.$/ })
    t.same(await branchesIn(root), [BRANCH])
  })

  await t.test('those of another cluster', async t => {
    const root = join(top, 'other')
    cpSync(join(top, 'node', 'cloned_repos'), join(root, 'cloned_repos'), { recursive: true })
    writeFileSync(join(root, 'cloned_repos', '.cluster'), 'another\n')
    const started = await nodeIn(root)
    t.not(readFileSync(join(root, 'cloned_repos', '.cluster'), 'utf8'), 'another\n', 'its nodes know all that is there')
    await started.close()
  })

  await t.test('but its own copies of a project that was deleted meanwhile', async t => {
    const root = join(top, 'copy')
    const copy = await nodeIn(root)
    await copy.close()
    cpSync(join(top, 'node', 'cloned_repos', 'shop'), join(root, 'cloned_repos', 'shop'), { recursive: true })
    t.equal((await node.app.inject({ method: 'DELETE', url: '/projects/shop' })).statusCode, 204)
    const again = await nodeIn(root)
    t.notOk(existsSync(join(root, 'cloned_repos', 'shop')))
    await again.close()
  })
  await node.close()
})
