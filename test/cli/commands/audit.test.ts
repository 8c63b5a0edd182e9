import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'

test('what commands did without a server stands in the audit log, and a purge takes it along', async t => {
  const { cli, shop, data } = cliFolder(t)
  const call = (...args: string[]) => cli.call([...args, ...data])
  t.match(await call('audit'), { exitCode: EXIT.done, stdout: 'Nothing was done.\n' })
  t.match(await call('clone', shop.dir, '--project', 'shop'), { exitCode: EXIT.done })
  t.match(await call('audit'), { stdout: /^20\S+Z {2}cli {2}run\.clone {2}shop {2}done {2}[0-9a-f-]{36}\n$/ })
  t.match(JSON.parse((await call('audit', '--key', 'cli', '--json')).stdout), {
    data: [{ key: 'cli', action: 'run.clone', project_name: 'shop', request_id: null }],
    next_cursor: null,
  })
  t.match(await call('audit', '--key', 'ada'), { stdout: 'Nothing was done.\n' })

  t.match(await call('projects', 'delete', 'shop', '--yes'), { stdout: 'Deleted shop.\n' })
  t.match(await call('audit', '--limit', '1'), { stdout: /project\.delete/, stderr: /There are more: --cursor/ })
  const asked = await cli.call(['projects', 'delete', 'shop', '--purge', ...data], { input: 'n\n', isTTY: true })
  t.match(asked, { exitCode: EXIT.failed, stderr: /its jobs and what the audit log says of it\?/ })
  t.match(await call('projects', 'delete', 'shop', '--purge', '--yes'), { stdout: 'Purged shop.\n' })
  t.match(await call('audit'), { stdout: /^20\S+Z {2}cli {2}project\.purge {2}shop {2}done {2}shop\n$/ })
  t.match(await call('jobs'), { stdout: /No jobs/ })
  t.match(await call('projects', 'delete', 'shop', '--purge', '--yes'), {
    exitCode: EXIT.usage,
    stderr: /There is no project "shop"/,
  })
})
