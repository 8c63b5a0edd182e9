import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'
import { startServerProcess } from '../../helpers/server-process.ts'

test('only a server goes on with a clone that nobody waits for', async t => {
  const { cli } = cliFolder(t)
  t.match(await cli.call(['clone', 'https://example.com/a.git', '--detach']), {
    exitCode: EXIT.usage,
    stderr: /--detach needs a server/,
  })
  t.match(await cli.call(['clone', '.']), { exitCode: EXIT.failed, stderr: /./ })
})

test('a bundle or an archive of this machine is cloned like a repository', async t => {
  const { cli, shop, data, home } = cliFolder(t)
  shop.git('bundle', 'create', join(home, 'store.bundle'), '--all')
  mkdirSync(join(home, 'tree'))
  mkdirSync(join(home, 'served'))
  writeFileSync(join(home, 'tree', 'a.py'), 'def a():\n    return 1\n')
  execFileSync('tar', ['-C', home, '-czf', join(home, 'tree.tar.gz'), 'tree'])
  t.match(await cli.call(['clone', './store.bundle', ...data]), {
    exitCode: EXIT.done,
    stdout: /^Indexed store: 5 files of store, main at/,
  })
  t.match(await cli.call(['clone', 'tree.tar.gz', '--project', 'plain', '--include', '**/*.py', ...data]), {
    exitCode: EXIT.done,
    stdout: /^Indexed plain: 1 file of plain, main at/,
  })
  t.match(await cli.call(['clone', 'tree/a.py', ...data]), {
    exitCode: Number,
    stderr: /neither a git bundle nor/,
  })

  const server = await startServerProcess(join(home, 'served'))
  t.teardown(() => server.end('SIGTERM'))
  t.match(await cli.call(['clone', join(home, 'store.bundle'), '--branch', 'main', '--server', server.url]), {
    exitCode: EXIT.done,
    stdout: /^Indexed store: 5 files/,
  })
})
