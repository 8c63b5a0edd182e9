import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase } from '../../../src/jobs/store/sqlite/database.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../../helpers/postgres.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test('faultline move needs a direction and a cluster', async t => {
  const cli = createCli(testFolder(t))
  const neither = await cli.call(['move'])
  t.match(neither, { exitCode: 2, stderr: /Say where to: --to-cluster or --from-cluster/ })
  t.match(await cli.call(['move', '--to-cluster', '--from-cluster']), { exitCode: 2 })
  const none = await cli.run(['move', '--to-cluster', '--check', '--data-dir', 'none'])
  t.match(none, { exitCode: 3, stderr: /No DATABASE_URL is set/ }, none.stderr)
})

test('faultline move says what it does', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const root = testFolder(t)
  const data = join(root, 'single')
  mkdirSync(data)
  openJobsDatabase(join(data, 'jobs.sqlite')).close()
  const env = { DATABASE_URL: await server.createDatabase() }
  const cli = createCli(root)
  const run = (...args: string[]) => cli.run(['move', ...args], { env })

  const checked = await run('--to-cluster', '--check', '--data-dir', data)
  t.match(checked, { exitCode: 0, stdout: /^To be moved to the cluster:\n {2}rows +0/ }, checked.stderr)
  t.match(checked.stdout, /Nothing lies in the way\.\n$/)

  const moved = await run('--to-cluster', '--data-dir', data)
  t.match(
    moved,
    { exitCode: 0, stdout: /^Moved everything to the cluster\.\n {2}rows: 0 the same \(jobs 0, / },
    moved.stderr,
  )
  t.match(moved.stdout, /an old copy now/)

  const refused = await run('--from-cluster', '--check', '--json', '--data-dir', data)
  t.match(refused, { exitCode: 1 }, refused.stderr)
  t.match(JSON.parse(refused.stdout), {
    outcome: 'refused',
    obstacles: [{ message: /are an old copy/, fix: /^Name empty ones/ }],
  })

  const undone = await run('--to-cluster', '--undo', '--data-dir', data)
  t.match(undone, { exitCode: 0, stdout: /do not let both work/ }, undone.stderr)
  t.match(await run('--to-cluster', '--undo', '--data-dir', data), { stdout: 'There is nothing to undo.\n' })
})
