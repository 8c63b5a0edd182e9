import { test } from 'tap'
import { isProjectName, projectNameFrom } from '../../src/core/project.ts'

test('a project name is one folder on every file system', async t => {
  for (const name of ['shop', 'a', 'My-App_2.0', 'x'.repeat(64)]) t.ok(isProjectName(name), name)
  for (const name of [
    '',
    '.',
    '..',
    '-x',
    '.git',
    'a/b',
    'a\\b',
    'con',
    'NUL.txt',
    'x.',
    'repo.git',
    '__proto__',
    'x'.repeat(65),
    'ünï',
    'a\n',
    'a\0b',
  ]) {
    t.notOk(isProjectName(name), JSON.stringify(name))
  }
})

test('a project name is made from a repository name when something usable is left', async t => {
  t.equal(projectNameFrom('my repo'), 'my-repo')
  t.equal(projectNameFrom('.dotfiles'), 'dotfiles')
  t.equal(projectNameFrom('///'), null)
  t.equal(projectNameFrom('con'), null)
})
