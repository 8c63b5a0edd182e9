import { test } from 'tap'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realFolders } from '../../../src/repos/remote/local-repository.ts'
import { parseRepositoryUrl } from '../../../src/repos/remote/repository-url.ts'

const PUBLIC = { allowLocalRepos: [], allowPrivateHosts: false }

test('of some paths those are taken that are folders, with links followed', async t => {
  const root = t.testdir({ a: {}, 'b.txt': '' })
  symlinkSync(join(root, 'a'), join(root, 'link'))
  const paths = ['a', 'b.txt', 'none', 'link'].map(name => join(root, name))
  t.same(await realFolders([...paths, 'relative']), [join(root, 'a'), join(root, 'a')])
})

test('a local repository is taken from below an allowed folder only, after following links', async t => {
  const root = t.testdir({
    allowed: { 'repo one.git': {}, 'percent%20': {}, work: { '.git': {} } },
    'allowed-not': { repo: {} },
    outside: { repo: {} },
  })
  symlinkSync(join(root, 'outside'), join(root, 'allowed', 'way-out'))
  symlinkSync(join(root, 'allowed'), join(root, 'way-in'))
  writeFileSync(join(root, 'allowed', 'file'), '')
  mkdirSync(join(root, 'allowed', '-x'))
  const policy = { allowLocalRepos: [join(root, 'way-in')], allowPrivateHosts: false }
  const parse = async (path: string) => await parseRepositoryUrl(path, policy)

  t.match(await parse(join(root, 'allowed', 'repo one.git')), {
    kind: 'local',
    repository: 'repo-one',
    path: join(root, 'allowed', 'repo one.git'),
    url: `file://${encodeURI(join(root, 'allowed'))}/repo%20one.git`,
  })
  const again = await parse((await parse(join(root, 'allowed', 'percent%20'))).url)
  t.equal(again.path, join(root, 'allowed', 'percent%20'), 'the URL of a checked repository names it again')
  t.match(await parse(`file://${join(root, 'way-in', 'work')}`), {
    repository: 'work',
    path: join(root, 'allowed', 'work'),
  })
  t.match(await parse(join(root, 'allowed', 'work', '.git')), { repository: 'work' })
  t.match(await parse(`${join(root, 'allowed', 'outside')}/../work/`), { repository: 'work' })
  t.match(await parse(join(root, 'allowed')), { repository: 'allowed' })

  const refused = { code: 'LOCAL_REPOSITORY_REFUSED', fix: /ALLOW_LOCAL_REPOS/ }
  for (const path of [
    'outside/repo',
    'outside/missing',
    'allowed-not/repo',
    'allowed/way-out/repo',
    'allowed/../outside/repo',
    '',
  ]) {
    await t.rejects(parse(`${root}/${path}`), refused, path)
  }
  await t.rejects(parse('/'), refused)
  await t.rejects(parse('/etc'), refused)
  const long = `/${'x'.repeat(500)}`
  await t.rejects(parse(long), { ...refused, message: `"${long.slice(0, 120)}"` })
  await t.rejects(parse(`file://${root}/allowed/%2e%2e/outside/repo`), refused)
  await t.rejects(parseRepositoryUrl(join(root, 'allowed', 'work'), PUBLIC), refused)
  await t.rejects(parse(join(root, 'allowed', 'missing')), { code: 'REPOSITORY_NOT_FOUND' })
  await t.rejects(parse(join(root, 'allowed', 'file')), { code: 'REPOSITORY_NOT_FOUND' })
  await t.rejects(parse(`${root}/allowed/a\nb`), { code: 'BAD_REPOSITORY_URL' })
  t.match(await parse(join(root, 'allowed', '-x')), { repository: 'x' })
})
