import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'

test('a program is told which project was deleted', async t => {
  const { cli, shop, data } = cliFolder(t)
  t.match(await cli.call(['clone', shop.dir, ...data]), { exitCode: EXIT.done })
  const deleted = await cli.call(['projects', 'delete', 'SHOP', '--yes', '--json', ...data])
  t.equal(deleted.exitCode, EXIT.done, deleted.stderr)
  t.same(JSON.parse(deleted.stdout), { project_name: 'shop', deleted: true, purged: false })
})
