import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const CART = 'def total(items):\n    return sum(items)\n'
const FILES = {
  'cart.py': CART,
  'shop.py': 'from cart import total\n\ndef pay(items):\n    return total(items)\n',
  'other.py': 'x = 1\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/app/shop.py", line 4, in pay\n    return total(items)\n' +
  '  File "/app/cart.py", line 2, in total\n    return sum(items)\nTypeError: no\n'

test('resolve --repo --committed says how many files of the trace have changes that are not committed', async t => {
  const home = testFolder(t)
  const shop = createGitRepository(join(home, 'shop'), { files: FILES, worktree: true })
  const cli = createCli(home)
  const resolve = (...args: string[]) =>
    cli.call(
      [
        'resolve',
        '-',
        '--repo',
        shop.dir,
        '--committed',
        '--mode',
        'context',
        '--data-dir',
        join(home, 'data'),
        ...args,
      ],
      { input: TRACE },
    )

  t.notMatch((await resolve()).stderr, /not committed/)
  writeFileSync(join(shop.dir, 'cart.py'), CART.replaceAll('\n', '\r\n'))
  writeFileSync(join(shop.dir, 'other.py'), 'x = 2\n')
  t.notMatch((await resolve()).stderr, /not committed/, 'other line ends, and files that no frame names, do not count')

  writeFileSync(join(shop.dir, 'cart.py'), `import sys\n${CART}`)
  const one = await resolve()
  t.match(one, {
    exitCode: 0,
    stderr:
      /1 file of this trace has changes that are not committed; the code shown is that of HEAD, [0-9a-f]{10}\.\n$/,
  })
  rmSync(join(shop.dir, 'shop.py'))
  t.match((await resolve()).stderr, /2 files of this trace have changes/)
  t.notMatch((await resolve('--ref', 'main')).stderr, /not committed/, 'who names a commit knows')
  t.equal((await resolve('--json')).stderr, '')
})

test('every command explains itself with an example', async t => {
  const cli = createCli(testFolder(t))
  const commands = [
    ['serve'],
    ['clone'],
    ['resolve'],
    ['parse'],
    ['search'],
    ['doctor'],
    ['projects'],
    ['projects', 'show'],
    ['projects', 'delete'],
    ['jobs'],
    ['jobs', 'show'],
    ['jobs', 'cancel'],
    ['jobs', 'retry'],
    ['jobs', 'events'],
    ['jobs', 'reply'],
    ['jobs', 'files'],
    ['jobs', 'diff'],
  ]
  for (const command of commands) {
    const { exitCode, stdout } = await cli.call([...command, '--help'])
    t.equal(exitCode, 0)
    t.match(
      stdout,
      new RegExp(
        `^Usage: faultline ${command.join(' ')}[^]*Options:[^]*Examples?:\\n {2}\\$ .*faultline ${command.join(' ')}`,
      ),
      command.join(' '),
    )
  }
})
