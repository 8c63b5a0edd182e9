import { test } from 'tap'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from '../clone/sync-to.ts'

test('hooks, attributes and submodules of a repository do nothing', async t => {
  const { remotes, sync } = setup(t)
  const mark = join(remotes, 'ran')
  const remote = createGitRepository(join(remotes, 'shop.git'), {
    files: {
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ../other.git\n',
      x: { submodule: '1'.repeat(40) },
      a: '1',
    },
  })
  mkdirSync(join(remote.dir, 'hooks'))
  for (const hook of ['post-checkout', 'reference-transaction', 'post-merge']) {
    writeFileSync(join(remote.dir, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  }
  const { gitDir } = await sync(remote.dir)
  t.notOk(existsSync(mark))
  t.notOk(existsSync(join(gitDir, 'modules')))
})
