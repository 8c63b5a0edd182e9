import { test, type Test } from 'tap'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { findGitDirs } from '../../../src/repos/remote/local-source.ts'
import type { Repos } from '../../../src/repos/repos.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { openRepos } from '../test-repos.ts'

interface Setup {
  allowed: string
  /** A repository with a work tree, outside of what is allowed. */
  outside: string
  sync: (path: string) => ReturnType<Repos['sync']>
  check: (path: string) => ReturnType<Repos['check']>
}

function setup(t: Test, moreAllowed: string[] = []): Setup {
  const root = t.testdir({ allowed: {}, elsewhere: {} })
  const [allowed, outside] = [join(root, 'allowed'), join(root, 'elsewhere', 'private')]
  createGitRepository(outside, { files: { secret: 'hidden' }, worktree: true })
  const allowLocalRepos = [allowed, ...moreAllowed.map(path => join(root, path))]
  const repos = openRepos(t, { clonedReposDir: join(root, 'clones'), allowLocalRepos })
  const { signal } = new AbortController()
  return {
    allowed,
    outside,
    check: repos.check,
    sync: async url => await repos.sync({ url, projectName: 'shop' }, { signal, onProgress: () => {} }),
  }
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()

/**
 * A bare repository without a commit of its own, and with the outside one's refs, so that it lacks only their objects.
 */
function bareFor(folder: string, outside: string): string {
  git('/', 'init', '--quiet', '--bare', '--template=', folder)
  mkdirSync(join(folder, 'objects', 'info'), { recursive: true })
  cpSync(join(outside, '.git', 'refs'), join(folder, 'refs'), { recursive: true })
  return folder
}

function replaceByLink(path: string, target: string): void {
  rmSync(path, { recursive: true, force: true })
  symlinkSync(target, path)
}

const ESCAPES: Record<string, (folder: string, outside: string) => void> = {
  'a .git file': (folder, outside) => {
    mkdirSync(folder)
    writeFileSync(join(folder, '.git'), `gitdir: ${outside}/.git\n`)
  },
  'a .git link': (folder, outside) => {
    mkdirSync(folder)
    symlinkSync(join(outside, '.git'), join(folder, '.git'))
  },
  'a commondir': (folder, outside) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(folder, 'commondir'), `${outside}/.git\n`)
  },
  'a work tree of an outside repository': (folder, outside) => {
    git(outside, 'worktree', 'add', '--quiet', '--detach', folder)
  },
  alternates: (folder, outside) => {
    writeFileSync(
      join(bareFor(folder, outside), 'objects', 'info', 'alternates'),
      `# comment\n${outside}/.git/objects\n`,
    )
  },
  'alternates by way of another repository': (folder, outside) => {
    writeFileSync(
      join(bareFor(`${folder}-between`, outside), 'objects', 'info', 'alternates'),
      `${outside}/.git/objects\n`,
    )
    writeFileSync(
      join(bareFor(folder, outside), 'objects', 'info', 'alternates'),
      `../../${folder.split('/').at(-1)}-between/objects\n`,
    )
  },
  'alternates in quotes': (folder, outside) => {
    writeFileSync(join(bareFor(folder, outside), 'objects', 'info', 'alternates'), `"${outside}/.git/obj\\145cts"\n`)
  },
  'alternates behind a link': (folder, outside) => {
    writeFileSync(join(bareFor(folder, outside), 'objects', 'info', 'alternates'), `${folder}/link/../objects\n`)
    mkdirSync(join(outside, '.git', 'within'), { recursive: true })
    symlinkSync(join(outside, '.git', 'within'), join(folder, 'link'))
  },
  'an objects link': (folder, outside) => {
    replaceByLink(join(bareFor(folder, outside), 'objects'), join(outside, '.git', 'objects'))
  },
  'linked packs': (folder, outside) => {
    git(outside, 'repack', '-a', '-d', '-q')
    const [from, to] = [join(outside, '.git', 'objects', 'pack'), join(bareFor(folder, outside), 'objects', 'pack')]
    mkdirSync(to, { recursive: true })
    for (const name of readdirSync(from)) symlinkSync(join(from, name), join(to, name))
  },
  'linked folders of objects': (folder, outside) => {
    bareFor(folder, outside)
    for (const name of readdirSync(join(outside, '.git', 'objects'))) {
      replaceByLink(join(folder, 'objects', name), join(outside, '.git', 'objects', name))
    }
  },
  'linked refs': (folder, outside) => {
    cpSync(join(outside, '.git'), folder, { recursive: true })
    replaceByLink(join(folder, 'refs', 'heads'), join(outside, '.git', 'refs', 'heads'))
  },
  'linked packed-refs': (folder, outside) => {
    git(outside, 'pack-refs', '--all')
    cpSync(join(outside, '.git'), folder, { recursive: true })
    replaceByLink(join(folder, 'packed-refs'), join(outside, '.git', 'packed-refs'))
  },
}

for (const [way, build] of Object.entries(ESCAPES)) {
  test(`a repository leads nowhere outside by ${way}`, async t => {
    const { allowed, outside, sync, check } = setup(t)
    const folder = join(allowed, 'shop')
    build(folder, outside)
    for (const ask of [sync, check]) {
      const error = (await ask(folder).catch((error: unknown) => error)) as Error
      t.match(error, { code: 'LOCAL_REPOSITORY_REFUSED', fix: String })
      t.notMatch(error.message, 'elsewhere')
    }
  })
}

test('a partial clone is refused, since git would fetch for it from wherever it says', async t => {
  const { allowed, outside, sync } = setup(t)
  for (const config of [
    '[extensions]\n\tpartialClone = origin\n',
    '[remote "origin"]\n\tpromisor = true\n',
    '[include]\n\tpath = more\n',
  ]) {
    const folder = join(allowed, 'shop')
    rmSync(folder, { recursive: true, force: true })
    cpSync(join(outside, '.git'), folder, { recursive: true })
    writeFileSync(join(folder, 'more'), '[remote "x"]\n\tpromisor\n')
    appendFileSync(join(folder, 'config'), config)
    await t.rejects(sync(folder), { code: 'LOCAL_REPOSITORY_REFUSED', message: /partial clone/ }, config)
  }
})

test('git opens the folder that was looked at, not one beside or within it', async t => {
  const { allowed, outside, sync } = setup(t)
  const own = createGitRepository(join(allowed, 'shop'), { files: { own: '1' }, worktree: true })
  const tip = own.git('rev-parse', 'HEAD')
  symlinkSync(join(outside, '.git'), join(own.dir, '.git', '.git'))
  t.equal((await sync(own.dir)).commit, tip)
  await t.rejects(sync(join(own.dir, '.git')), { code: 'LOCAL_REPOSITORY_REFUSED' })
  mkdirSync(join(allowed, 'empty'))
  symlinkSync(join(outside, '.git'), join(allowed, 'empty.git'))
  await t.rejects(sync(join(allowed, 'empty')), { code: 'REPOSITORY_NOT_FOUND' })
})

test('a repository that was changed after it was cloned is looked at again', async t => {
  const { allowed, outside, sync } = setup(t)
  const own = createGitRepository(join(allowed, 'shop'), { files: { own: '1' }, worktree: true })
  await sync(own.dir)
  renameSync(join(own.dir, '.git'), join(own.dir, 'old'))
  symlinkSync(join(outside, '.git'), join(own.dir, '.git'))
  await t.rejects(sync(own.dir), { code: 'LOCAL_REPOSITORY_REFUSED' })
})

test('work trees, separate git directories and borrowed objects are served when all of them are allowed', async t => {
  const { allowed, outside, sync } = setup(t, ['elsewhere/private/.git'])
  const tip = git(outside, 'rev-parse', 'HEAD')
  git(outside, 'worktree', 'add', '--quiet', '--detach', join(allowed, 'tree'))
  t.equal((await sync(join(allowed, 'tree'))).commit, tip)
  git('/', 'clone', '--quiet', '--separate-git-dir', join(allowed, 'separate'), outside, join(allowed, 'with-file'))
  t.equal((await sync(join(allowed, 'with-file'))).commit, tip)
  git('/', 'clone', '--quiet', '--shared', '--bare', outside, join(allowed, 'borrowing'))
  t.match(readFileSync(join(allowed, 'borrowing', 'objects', 'info', 'alternates'), 'utf8'), outside)
  t.equal((await sync(join(allowed, 'borrowing'))).commit, tip)
})

test('the git directories of a folder are found as git finds them', async t => {
  const { allowed, outside } = setup(t)
  git(outside, 'worktree', 'add', '--quiet', '--detach', join(allowed, 'tree'))
  t.same(await findGitDirs(join(allowed, 'tree')), {
    gitDir: join(outside, '.git', 'worktrees', 'tree'),
    commonDir: join(outside, '.git'),
  })
  t.same(await findGitDirs(outside), { gitDir: join(outside, '.git'), commonDir: join(outside, '.git') })
  t.same(await findGitDirs(join(outside, '.git')), await findGitDirs(outside))
  mkdirSync(join(allowed, 'none'))
  for (const pointer of ['nonsense', 'gitdir: ', 'gitdir: missing', `gitdir: ${outside}`]) {
    writeFileSync(join(allowed, 'none', '.git'), pointer)
    t.equal(await findGitDirs(join(allowed, 'none')), null, pointer)
  }
  for (const missing of [allowed, join(allowed, 'missing'), join(outside, 'secret')]) {
    t.equal(await findGitDirs(missing), null)
  }
})
