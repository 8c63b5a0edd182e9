import { test } from 'tap'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileReader } from '../../../src/repos/objects/read-file.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from '../open-repos.ts'

test('a file reads the same in process and through git', async t => {
  const { root, clones, sync } = setup(t)
  const files = {
    'a.txt': 'one\r\ntwo',
    'deep/er/é.py': 'x = 1\n',
    empty: '',
    binary: Buffer.from([0, 255, 10, 13]),
    link: { symlink: 'a.txt' },
    module: { submodule: '1'.repeat(40) },
    'glob[1]*.txt': 'literal',
  }
  const { commit } = await sync(createGitRepository(join(root, 'remotes', 'shop.git'), { files }).dir)
  const inProcess = createFileReader({ searchPath: '/usr/bin:/bin' })
  const byGit = createFileReader({ searchPath: '/usr/bin:/bin', smallPacksBytes: 0 })
  const gitDir = join(clones, 'shop')
  for (const path of ['a.txt', 'deep/er/é.py', 'empty', 'binary', 'glob[1]*.txt']) {
    const content = await inProcess.readFile(gitDir, commit, path)
    t.same(content, Buffer.from(files[path as 'binary']), path)
    t.same(await byGit.readFile(gitDir, commit, path), content, path)
  }
  for (const path of [
    '',
    '/',
    'missing',
    'deep',
    'deep/er',
    'deep/',
    '/a.txt',
    './a.txt',
    '../a.txt',
    'deep/../a.txt',
    'a.txt/x',
    'link',
    'link/x',
    'module',
    'a.txt\0',
    'a.txt\n',
    ':(top)a.txt',
    '*.txt',
    'glob*',
    '--help',
    `${'a/'.repeat(3_000)}a`,
  ]) {
    t.equal(await inProcess.readFile(gitDir, commit, path), null, JSON.stringify(path.slice(0, 40)))
    t.equal(await byGit.readFile(gitDir, commit, path), null, JSON.stringify(path.slice(0, 40)))
  }
  for (const reader of [inProcess, byGit]) t.equal(await reader.readFile(gitDir, '1'.repeat(40), 'a.txt'), null)
})

test('a small pack that unpacks to much is not read in process', async t => {
  const { root, reader, sync } = setup(t)
  const { commit } = await sync(
    createGitRepository(join(root, 'remotes', 'shop.git'), { files: { bomb: Buffer.alloc(17 * 1_048_576), a: 'fine' } })
      .dir,
  )
  await t.rejects(reader.readFile('shop', commit, 'bomb'), { code: 'PAYLOAD_TOO_LARGE' })
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), 'fine')
})

test('git is asked once for what the packs of a clone hold, not for each file', async t => {
  const { root, clones, sync } = setup(t)
  const { commit } = await sync(
    createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: 'A', b: 'B' } }).dir,
  )
  const tools = join(root, 'tools')
  mkdirSync(tools)
  const started = join(tools, 'started')
  const wrapper = `#!/bin/sh\necho "$1" >> '${started}'\nPATH=/usr/bin:/bin exec git "$@"\n`
  writeFileSync(join(tools, 'git'), wrapper, { mode: 0o755 })
  const reader = createFileReader({ searchPath: `${tools}:/usr/bin:/bin` })
  for (const path of ['a', 'b', 'a']) {
    t.equal(String(await reader.readFile(join(clones, 'shop'), commit, path)), path.toUpperCase())
  }
  t.equal(readFileSync(started, 'utf8').split('\n').length - 1, 1)
})
