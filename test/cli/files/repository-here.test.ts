import { mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { isProjectName } from '../../../src/core/project.ts'
import {
  findRepository,
  needRepository,
  projectFor,
  repositoryArgument,
} from '../../../src/cli/files/repository-here.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'

test('the repository of a folder is the nearest one around it, with or without a work tree', async t => {
  const root = realpathSync(t.testdir({ tree: { src: { deep: {} } }, bare: {} }))
  createGitRepository(join(root, 'tree'), { worktree: true })
  createGitRepository(join(root, 'bare'))
  t.equal(findRepository(join(root, 'tree', 'src', 'deep')), join(root, 'tree'))
  t.equal(findRepository(join(root, 'bare')), join(root, 'bare'))
  t.equal(findRepository(join(root, 'bare', 'objects')), join(root, 'bare'))
  t.equal(findRepository(join(root, 'missing')), null)
  t.equal(needRepository('src', join(root, 'tree')), join(root, 'tree'))
  t.throws(() => needRepository('missing', root), { code: 'USAGE', exitCode: 2 })
})

test('a project made for a folder has a name of its own that is allowed', async t => {
  t.match(projectFor('/home/me/shop'), /^shop-[0-9a-f]{8}$/)
  t.match(projectFor('/srv/git/shop.git'), /^shop-[0-9a-f]{8}$/)
  t.not(projectFor('/home/me/shop'), projectFor('/home/you/shop'))
  t.match(projectFor('/home/me/日本'), /^repository-[0-9a-f]{8}$/)
  for (const folder of ['/', '/home/.config', '/x/con', `/x/${'a'.repeat(200)}`, '/x/my shop (old)', '/x/.git']) {
    t.ok(isProjectName(projectFor(folder)), projectFor(folder))
  }
})

test('what names a place on this machine becomes an absolute path; everything else stays as it is', async t => {
  const cwd = realpathSync(t.testdir())
  mkdirSync(join(cwd, 'shop'))
  const path = (given: string) => repositoryArgument(given, cwd).localPath
  t.equal(path('shop'), join(cwd, 'shop'))
  t.equal(path('./missing'), join(cwd, 'missing'))
  t.equal(path('..'), join(cwd, '..'))
  t.equal(path('/srv/a b'), '/srv/a b')
  t.equal(path('~/shop'), join(homedir(), 'shop'))
  t.equal(path('file:///srv/a%20b'), '/srv/a b')
  for (const url of [
    'https://github.com/acme/shop.git',
    'git@github.com:acme/shop.git',
    'host:shop',
    'missing',
    'ext::sh -c id',
    '-u',
    'file://host/x',
  ]) {
    t.strictSame(repositoryArgument(url, cwd), { url, localPath: null }, url)
  }
})
