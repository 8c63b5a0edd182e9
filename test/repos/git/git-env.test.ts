import { test } from 'tap'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { gitEnv, LOCAL_SETTINGS, LOCAL_UPLOAD_PACK } from '../../../src/repos/git/git-env.ts'
import { callGit } from '../../../src/repos/git/git-client.ts'
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

/** Bytes, as git prints them. */
const LITTLE_MEMORY = { 'core.packedGitLimit': '16777216', 'core.deltaBaseCacheLimit': '6291456' }

test('git keeps little of a pack in memory', async t => {
  const { remotes } = setup(t)
  const { dir } = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const value = async (name: string): Promise<string> => {
    const said = await callGit({
      args: ['config', '--get', '--type=int', name],
      cwd: dir,
      env: gitEnv({ gitDir: dir, searchPath: process.env.PATH ?? '' }),
      settings: LOCAL_SETTINGS,
      signal: new AbortController().signal,
    })
    return said.trim()
  }
  for (const [name, bytes] of Object.entries(LITTLE_MEMORY)) t.equal(await value(name), bytes, name)
})

test('so does the git that serves a local repository, to which another one gives none of its settings', t => {
  const [git = '', ...options] = LOCAL_UPLOAD_PACK.replace(/ upload-pack .*/, '').split(' ')
  const value = (name: string): string =>
    execFileSync(git, [...options, 'config', '--get', '--type=int', name], { encoding: 'utf8' }).trim()
  for (const [name, bytes] of Object.entries(LITTLE_MEMORY)) t.equal(value(name), bytes, name)
  t.end()
})
