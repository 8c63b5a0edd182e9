import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { BRANCH, DATE, fileAt, FILES, git, modesAt, setup, signal } from './commit-to.ts'
import { openRepos } from '../test-repos.ts'

test('files are made, changed and deleted in one commit on a branch of its own; whatever they are called', async t => {
  const { gitDir, base, commitTo } = await setup(t)
  const { commit } = await commitTo({
    'a.py': 'one\n2\n',
    'my folder/with space.txt': 'y\n',
    'ünï/日本.txt': 'y\n',
    '-rf': 'y\n',
    'say "hi".txt': 'y\n',
    'new/deep/file.txt': 'no newline',
    'run.sh': '#!/bin/sh\necho bye\n',
    'empty.txt': '',
  })
  t.equal(git(gitDir, 'rev-parse', `refs/heads/${BRANCH}`).trim(), commit)
  t.equal(git(gitDir, 'rev-parse', `${commit}^`).trim(), base)
  t.equal(fileAt(gitDir, commit, 'a.py'), 'one\n2\n')
  t.equal(fileAt(gitDir, commit, 'new/deep/file.txt'), 'no newline')
  for (const path of ['my folder/with space.txt', 'ünï/日本.txt', '-rf', 'say "hi".txt']) {
    t.equal(fileAt(gitDir, commit, path), 'y\n', path)
  }
  const modes = modesAt(gitDir, commit)
  t.equal(modes.get('run.sh'), '100755', 'what could be executed still can')
  t.equal(modes.get('new/deep/file.txt'), '100644')
  t.equal(modes.get('link'), '120000')
  t.equal(modes.get('module'), '160000')
  t.equal(
    git(gitDir, 'log', '-1', '--format=%an <%ae> %at %cn %ct %s', commit).trim(),
    `Faultline <faultline@localhost> ${DATE} Faultline ${DATE} Change`,
  )
  t.equal(
    modesAt(gitDir, (await commitTo({ 'a.py': null, 'ünï/日本.txt': null }, { branch: 'faultline/gone' })).commit).has(
      'a.py',
    ),
    false,
  )
})

test('the same call again is the same commit; another one for the same branch is refused', async t => {
  const { gitDir, commitTo } = await setup(t)
  const { commit } = await commitTo({ 'a.py': '1\n' })
  t.same(await commitTo({ 'a.py': '1\n' }), { commit })
  await t.rejects(commitTo({ 'a.py': '2\n' }), { code: 'BAD_REF' })
  t.equal(git(gitDir, 'rev-parse', `refs/heads/${BRANCH}`).trim(), commit)
})

test('links, submodules, folders and paths that lead out are refused, and nothing is committed', async t => {
  const { gitDir, commitTo } = await setup(t)
  const refused: Array<Record<string, string | null>> = [
    { link: 'x' },
    { link: null },
    { module: 'x' },
    { 'linked-folder/with space.txt': 'x' },
    { 'module/x': 'x' },
    { 'a.py/below': 'x' },
    { 'my folder': 'x' },
    { '../out': 'x' },
    { '.git/config': 'x' },
    { 'sub/.GIT/hooks/x': 'x' },
    { '/etc/passwd': 'x' },
    { 'a\nb': 'x' },
  ]
  for (const files of refused) await t.rejects(commitTo(files), { code: 'BAD_PATH' }, JSON.stringify(files))
  t.equal(git(gitDir, 'for-each-ref', 'refs/heads'), '')
  t.match(
    await commitTo({ 'my folder/with space.txt': null, 'my folder': 'a file now\n' }),
    { commit: /^[0-9a-f]{40}$/ },
    'a file may come where the last file of a folder went',
  )
})

test('no hook, filter or setting of the repository is obeyed', async t => {
  const { root, gitDir, base, commitTo, reader } = await setup(t, {
    files: { ...FILES, '.gitattributes': '* text eol=crlf filter=evil diff=evil ident export-subst\n' },
  })
  const mark = join(root, 'mark')
  const evil = `touch '${mark}'`
  mkdirSync(join(gitDir, 'hooks'))
  for (const hook of ['post-commit', 'pre-commit', 'reference-transaction', 'post-update', 'pre-push']) {
    writeFileSync(join(gitDir, 'hooks', hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 })
  }
  mkdirSync(join(gitDir, 'info'), { recursive: true })
  writeFileSync(join(gitDir, 'info', 'attributes'), '* filter=evil diff=evil\n')
  appendFileSync(
    join(gitDir, 'config'),
    `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\trequired = true\n[diff "evil"]\n\tcommand = ${evil}\n\ttextconv = ${evil}\n[diff]\n\texternal = ${evil}\n[core]\n\tfsmonitor = ${evil}\n\tautocrlf = true\n\tpager = ${evil}\n[user]\n\tname = Mallory\n[commit]\n\tgpgsign = true\n[format]\n\tattach = x\n\tsubjectPrefix = EVIL\n[gpg]\n\tprogram = ${evil}\n`,
  )
  const { commit } = await commitTo({ 'a.py': 'one\r\ntwo\n$Id$\n' })
  t.equal(fileAt(gitDir, commit, 'a.py'), 'one\r\ntwo\n$Id$\n')
  const dir = join(root, 'out')
  mkdirSync(dir)
  await reader.checkout({ repository: 'shop', commit: base, dir, without: [] })
  t.equal(readFileSync(join(dir, 'a.py'), 'utf8'), 'one\ntwo\n')
  const patch = await reader.formatPatch({ repository: 'shop', commit })
  t.match(patch, /^From [0-9a-f]{40} /)
  t.match(patch, /\nSubject: \[PATCH\] Change\n/)
  t.match(patch, /\nFrom: Faultline <faultline@localhost>\n/)
  t.equal(await reader.checkPatch({ repository: 'shop', commit: base, patch }), null)
  t.notOk(existsSync(mark))
})

test('a branch survives later syncs, a history that is fetched, packing and a restart', async t => {
  const { root, clones, remote, repos, sync, gitDir, base, commitTo } = await setup(t)
  for (let i = 0; i < 3; i++) remote.commit({ 'a.py': `${i}\n` })
  await sync()
  const { commit } = await commitTo({ 'a.py': 'mine\n' })
  remote.commit({ 'a.py': 'force-pushed\n' }, { orphan: true })
  await sync()
  t.equal(await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }), 'full')
  git(gitDir, 'repack', '-a', '-d', '-k', '-q')
  await repos.close()
  const again = openRepos(t, { clonedReposDir: clones, allowLocalRepos: [join(root, 'remotes')] })
  await again.sweep()
  await again.sync({ url: remote.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  t.equal(git(gitDir, 'rev-parse', `refs/heads/${BRANCH}`).trim(), commit)
  t.equal(fileAt(gitDir, commit, 'a.py'), 'mine\n')
  t.same(
    await again.commitFiles(
      {
        repository: 'shop',
        projectName: 'shop',
        base,
        branch: BRANCH,
        files: { 'a.py': 'mine\n' },
        message: 'Change\n',
        date: DATE,
      },
      signal,
    ),
    { commit },
    'on a base that no branch of the remote has any more',
  )
})

test('a clone that lacks the contents of files takes a commit all the same, and fetches nothing', async t => {
  const { root, gitDir, base, commitTo, reader } = await setup(t)
  const names = git(gitDir, 'rev-list', '--objects', '--filter=blob:none', base)
  const packs = join(gitDir, 'objects', 'pack')
  const before = readdirSync(packs)
  execFileSync('git', [`--git-dir=${gitDir}`, 'pack-objects', '-q', join(packs, 'pack')], { input: names })
  for (const name of before) rmSync(join(packs, name), { force: true })
  appendFileSync(
    join(gitDir, 'config'),
    `[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n\turl = ext::sh -c "touch '${join(root, 'mark')}'"\n`,
  )
  const { commit } = await commitTo({ 'a.py': 'new\n', 'b.py': 'b\n' })
  t.equal(fileAt(gitDir, commit, 'a.py'), 'new\n')
  await t.rejects(reader.checkout({ repository: 'shop', commit: base, dir: join(root, 'out'), without: [] }), {
    code: 'REPOSITORY_CORRUPT',
  })
  t.notOk(existsSync(join(root, 'mark')))
})

test('the branches of a project go with it, those of another one on the same clone stay', async t => {
  const { gitDir, repos, remote, sync, commitTo } = await setup(t)
  await sync(remote.dir, 'second')
  await commitTo({ 'a.py': '1\n' })
  await commitTo({ 'a.py': '2\n' }, { projectName: 'second', branch: 'faultline/second' })
  await repos.release('shop')
  t.equal(git(gitDir, 'for-each-ref', '--format=%(refname)', 'refs/heads').trim(), 'refs/heads/faultline/second')
  await t.rejects(commitTo({ 'a.py': '3\n' }, { branch: 'faultline/third' }), { code: 'NOT_FOUND' })
  await repos.release('second')
  t.notOk(existsSync(gitDir))
  await t.rejects(commitTo({ 'a.py': '3\n' }), { code: 'NOT_FOUND' })
})

test('many commits at once and a sync do not disturb each other', async t => {
  const { remote, gitDir, sync, commitTo } = await setup(t)
  const tip = remote.commit({ 'a.py': 'newer\n' })
  const names = Array.from({ length: 6 }, (_, i) => `faultline/${i}`)
  const [synced, ...made] = await Promise.all([
    sync(),
    ...names.map(branch => commitTo({ 'a.py': `${branch}\n` }, { branch })),
  ])
  t.equal(synced.commit, tip)
  for (const [i, { commit }] of made.entries()) t.equal(fileAt(gitDir, commit, 'a.py'), `faultline/${i}\n`)
  t.equal(git(gitDir, 'for-each-ref', 'refs/heads').trim().split('\n').length, 6)
  t.same(
    readdirSync(gitDir).filter(name => name.includes('crash') || name.endsWith('.lock')),
    [],
  )
})

test('a commit that is not there (any more), or a name that is none, is said to be so', async t => {
  const { reader, commitTo } = await setup(t)
  await t.rejects(commitTo({ 'a.py': 'x' }, { base: '0'.repeat(40) }), { code: 'NOT_FOUND' })
  await t.rejects(commitTo({ 'a.py': 'x' }, { branch: '../x' }), { code: 'BAD_REF' })
  await t.rejects(commitTo({ 'a.py': 'x' }, { branch: '-x' }), { code: 'BAD_REF' })
  await t.rejects(reader.listFiles({ repository: 'shop', commit: '0'.repeat(40) }), { code: 'NOT_FOUND' })
  await t.rejects(reader.listFiles({ repository: '../shop', commit: '0'.repeat(40) }), { code: 'NOT_FOUND' })
})
