import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'

test('only a server goes on with a clone that nobody waits for', async t => {
  const { cli } = cliFolder(t)
  t.match(await cli.call(['clone', 'https://example.com/a.git', '--detach']), {
    exitCode: EXIT.usage,
    stderr: /--detach needs --server/,
  })
  t.match(await cli.call(['clone', '.']), { exitCode: EXIT.failed, stderr: /./ })
})
