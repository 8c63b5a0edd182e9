import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { noPostgres, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'
import { moveConfig, moveNow, PAINTING, tellAll, workOnSingleMachine } from '../helpers/single-machine.ts'
import { testFolder } from '../helpers/test-folder.ts'

const branchAt = (root: string, branch: string): string =>
  execFileSync('git', [`--git-dir=${join(root, 'cloned_repos/shop')}`, 'rev-parse', branch])
    .toString()
    .trim()

for (const version of POSTGRES_VERSIONS) {
  t.test(
    `a single machine is moved to a cluster and back, PostgreSQL ${version}`,
    { skip: noPostgres(version) },
    async t => {
      const server = await startPostgres(version)
      t.teardown(() => server.close())
      const top = testFolder(t)
      const databaseUrl = await server.createDatabase()
      const single = await workOnSingleMachine(t, join(top, 'single'))
      const env = { ALLOW_LOCAL_REPOS: single.reposDir }
      const config = moveConfig(single.root, databaseUrl, env)

      t.match(await moveNow(config, 'to_cluster', { checkOnly: true }), { outcome: 'possible', obstacles: [] })
      const there = await moveNow(config, 'to_cluster')
      t.match(there, { outcome: 'moved', isContinued: false, obstacles: [] }, JSON.stringify(there))

      const node = await buildApp(t, {
        root: join(top, 'node'),
        definitions: PAINTING,
        env: { ...env, DATABASE_URL: databaseUrl, NODE_NAME: 'one', CLUSTER_SECRET },
      })
      t.same(await tellAll(node, single), single.told)
      await node.close()

      mkdirSync(join(top, 'back'))
      const back = await moveNow(moveConfig(join(top, 'back'), databaseUrl, env), 'from_cluster')
      t.match(back, { outcome: 'moved', obstacles: [] }, JSON.stringify(back))
      t.equal(branchAt(join(top, 'back'), single.branch), single.commit)
      const again = await buildApp(t, { root: join(top, 'back'), definitions: PAINTING, env })
      t.same(await tellAll(again, single), single.told)
      await again.close()
    },
  )
}
