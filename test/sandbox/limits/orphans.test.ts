import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'tap'
import { endOrphans } from '../../../src/sandbox/limits/orphans.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test(
  'a jail that a dead server left is ended; those over other folders, and programs that only name ours, ' + 'are not',
  async t => {
    const folder = testFolder(t)
    const start = (argv0: string, ...args: string[]) => {
      const program = spawn('/bin/sh', ['-c', 'read -r line', ...args], { argv0, stdio: ['pipe', 'ignore', 'ignore'] })
      t.teardown(() => {
        program.kill('SIGKILL')
      })
      return program
    }
    const orphan = start('/usr/bin/bwrap', '--bind', join(folder, 'job', 'run'), '/workspace')
    const elsewhere = start('/usr/bin/bwrap', '--bind', `${folder}-other/run`, '/workspace')
    const editor = start('/usr/bin/vi', '--bind', join(folder, 'job', 'run'))
    await Promise.all([orphan, elsewhere, editor].map(program => once(program, 'spawn')))
    const ended = once(orphan, 'exit')
    endOrphans(folder)
    t.same(await ended, [null, 'SIGKILL'])
    t.same(
      [elsewhere, editor].map(({ exitCode, signalCode }) => exitCode ?? signalCode),
      [null, null],
    )
  },
)
