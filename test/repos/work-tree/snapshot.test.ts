import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { NOTHING_COMMITTED } from '../../../src/core/uncommitted.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { runs } from '../../helpers/property-runs.ts'
import { createEditor, filesOn, roundsOfEdits } from '../../helpers/work-tree-edits.ts'
import { setup, stateOf } from './read-screen.ts'

type Change = (folder: string, git: (...args: string[]) => string) => void

const FILES: TestFiles = {
  'cart.py': 'def total():\n    return 1\n',
  'lib/tax.py': 'RATE = 2\n',
  'lib/old.py': 'x = 1\n',
}
const write = (folder: string, path: string, content: string | Buffer): void =>
  writeFileSync(join(folder, path), content)

interface Case {
  name: string
  files?: TestFiles
  change: Change
  /** What differs from the commit; null for a file that is gone. */
  differs: Record<string, string | null>
}

const CASES: Case[] = [
  { name: 'nothing', change: () => {}, differs: {} },
  {
    name: 'a modified file',
    change: folder => write(folder, 'cart.py', 'def total():\n    return 2\n'),
    differs: { 'cart.py': 'def total():\n    return 2\n' },
  },
  {
    name: 'a staged file that was changed again since',
    change(folder, git) {
      write(folder, 'cart.py', 'staged = 1\n')
      git('add', 'cart.py')
      write(folder, 'cart.py', 'on_disk = 1\n')
    },
    differs: { 'cart.py': 'on_disk = 1\n' },
  },
  {
    name: 'staged changes, of which the clone has no object',
    change(folder, git) {
      write(folder, 'cart.py', 'staged = 1\n')
      write(folder, 'new.py', 'also_staged = 1\n')
      git('add', '-A')
    },
    differs: { 'cart.py': 'staged = 1\n', 'new.py': 'also_staged = 1\n' },
  },
  {
    name: 'new files, but not ignored ones, nor secrets',
    files: { ...FILES, '.gitignore': '*.log\nbuild/\n' },
    change(folder) {
      mkdirSync(join(folder, 'build'))
      mkdirSync(join(folder, 'src/deep'), { recursive: true })
      write(folder, 'build/out.py', 'x = 1\n')
      write(folder, 'a.log', 'x\n')
      write(folder, '.env', 'TOKEN=1\n')
      write(folder, 'src/deep/new.py', 'x = 2\n')
    },
    differs: { 'src/deep/new.py': 'x = 2\n' },
  },
  {
    name: 'new files that .git/info/exclude ignores',
    change(folder) {
      mkdirSync(join(folder, '.git/info'), { recursive: true })
      write(folder, '.git/info/exclude', 'scratch*\n')
      write(folder, 'scratch.py', 'x = 1\n')
    },
    differs: {},
  },
  {
    name: 'an ignored file that is tracked all the same',
    files: { ...FILES, '.gitignore': '*.cfg\n', 'app.cfg': 'a\n' },
    change: folder => write(folder, 'app.cfg', 'b\n'),
    differs: { 'app.cfg': 'b\n' },
  },
  {
    name: 'deleted files, staged and not',
    change(folder, git) {
      rmSync(join(folder, 'cart.py'))
      git('rm', '--quiet', 'lib/old.py')
    },
    differs: { 'cart.py': null, 'lib/old.py': null },
  },
  {
    name: 'a renamed file',
    change(folder) {
      renameSync(join(folder, 'lib/tax.py'), join(folder, 'lib/vat.py'))
    },
    differs: { 'lib/tax.py': null, 'lib/vat.py': 'RATE = 2\n' },
  },
  {
    name: 'a changed mode',
    change: folder => chmodSync(join(folder, 'cart.py'), 0o755),
    differs: { 'cart.py': '100755 def total():\n    return 1\n' },
  },
  {
    name: 'a mode that the repository does not care for',
    change(folder, git) {
      git('config', 'core.fileMode', 'false')
      chmodSync(join(folder, 'cart.py'), 0o755)
    },
    differs: {},
  },
  {
    name: 'a file in the place of a folder, and a folder in the place of a file',
    change(folder) {
      rmSync(join(folder, 'lib'), { recursive: true })
      write(folder, 'lib', 'a file\n')
      rmSync(join(folder, 'cart.py'))
      mkdirSync(join(folder, 'cart.py'))
      write(folder, 'cart.py/in.py', 'x = 1\n')
    },
    differs: { 'lib/tax.py': null, 'lib/old.py': null, lib: 'a file\n', 'cart.py': null, 'cart.py/in.py': 'x = 1\n' },
  },
  {
    name: 'links, which are not followed',
    change(folder) {
      mkdirSync(join(folder, '../outside'))
      write(folder, '../outside/tax.py', 'SECRET = 1\n')
      symlinkSync('../outside/tax.py', join(folder, 'link.py'))
      rmSync(join(folder, 'lib'), { recursive: true })
      symlinkSync('../outside', join(folder, 'lib'))
    },
    differs: {
      'link.py': '120000 ../outside/tax.py',
      'lib/tax.py': null,
      'lib/old.py': null,
      lib: '120000 ../outside',
    },
  },
  {
    name: 'names that need quotes',
    change(folder) {
      write(folder, 'new\nline "quoted" \\ é.py', 'x = 1\n')
      write(folder, ' leading and trailing ', 'x = 2\n')
    },
    differs: { 'new\nline "quoted" \\ é.py': 'x = 1\n', ' leading and trailing ': 'x = 2\n' },
  },
  {
    name: 'a name that is no UTF-8',
    change(folder) {
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.py')]), 'x = 1\n')
    },
    differs: { 'caf\uFFFD.py': 'x = 1\n' },
  },
  {
    name: 'line ends that .gitattributes says to convert',
    files: { ...FILES, '.gitattributes': '*.py text eol=crlf\n' },
    change(folder) {
      write(folder, 'cart.py', 'def total():\r\n    return 3\r\n')
      write(folder, 'lib/tax.py', 'RATE = 2\r\n')
    },
    differs: { 'cart.py': 'def total():\n    return 3\n' },
  },
  {
    name: 'line ends that core.autocrlf says to convert',
    change(folder, git) {
      git('config', 'core.autocrlf', 'true')
      write(folder, 'cart.py', 'def total():\r\n    return 1\r\n')
    },
    differs: {},
  },
  {
    name: 'line ends that nothing converts',
    change: folder => write(folder, 'cart.py', 'def total():\r\n    return 1\r\n'),
    differs: { 'cart.py': 'def total():\r\n    return 1\r\n' },
  },
  {
    name: 'a file that is not in the encoding it is said to be in',
    files: { ...FILES, '.gitattributes': '*.rc working-tree-encoding=UTF-16LE-BOM\n' },
    change(folder) {
      write(folder, 'bad.rc', Buffer.from('odd'))
      write(folder, 'good.rc', Buffer.from('\uFEFFgood\n', 'utf16le'))
      write(folder, 'cart.py', 'x = 1\n')
    },
    differs: { 'good.rc': 'good\n', 'cart.py': 'x = 1\n' },
  },
  {
    name: 'a file that must not be too large',
    change: folder => write(folder, 'big.txt', Buffer.alloc(9 * 1_048_576, 'a')),
    differs: {},
  },
  {
    name: 'what cannot be a file of a repository',
    change(folder) {
      rmSync(join(folder, 'cart.py'))
      execFileSync('mkfifo', [join(folder, 'cart.py')])
    },
    differs: { 'cart.py': null },
  },
  {
    name: 'a file that git was told to take for unchanged',
    change(folder, git) {
      git('update-index', '--assume-unchanged', 'cart.py')
      write(folder, 'cart.py', 'changed = 1\n')
    },
    differs: { 'cart.py': 'changed = 1\n' },
  },
  {
    name: 'a file that git was told to skip though it is there',
    change(folder, git) {
      git('update-index', '--skip-worktree', 'cart.py')
      write(folder, 'cart.py', 'changed = 1\n')
    },
    differs: { 'cart.py': 'changed = 1\n' },
  },
  {
    name: 'a file that is only said to be added later',
    change(folder, git) {
      write(folder, 'later.py', 'x = 1\n')
      git('add', '--intent-to-add', 'later.py')
    },
    differs: { 'later.py': 'x = 1\n' },
  },
  {
    name: 'a file that only its time says to be changed',
    change: folder => utimesSync(join(folder, 'cart.py'), 1_000_000_000, 1_000_000_000),
    differs: {},
  },
  {
    name: 'files that a sparse checkout leaves out',
    change(folder, git) {
      git('sparse-checkout', 'set', '--no-cone', '/cart.py')
      write(folder, 'cart.py', 'x = 1\n')
    },
    differs: { 'cart.py': 'x = 1\n' },
  },
  {
    name: 'files that a sparse checkout with a sparse index leaves out',
    files: { ...FILES, 'other/deep/a.py': 'a = 1\n' },
    change(folder, git) {
      git('sparse-checkout', 'set', '--cone', '--sparse-index', 'lib')
      write(folder, 'lib/tax.py', 'RATE = 3\n')
    },
    differs: { 'lib/tax.py': 'RATE = 3\n' },
  },
  {
    name: 'an index that is split',
    change(folder, git) {
      git('update-index', '--split-index')
      write(folder, 'cart.py', 'x = 1\n')
    },
    differs: { 'cart.py': 'x = 1\n' },
  },
  {
    name: 'an index that is missing, or cannot be read',
    change(folder) {
      write(folder, '.git/index', 'garbage')
      write(folder, 'cart.py', 'x = 1\n')
    },
    differs: { 'cart.py': 'x = 1\n' },
  },
  {
    name: 'a conflict that is not resolved',
    change(folder, git) {
      git('config', 'user.name', 'a')
      git('config', 'user.email', 'a@example.com')
      git('checkout', '--quiet', '-b', 'other')
      write(folder, 'cart.py', 'theirs = 1\n')
      git('commit', '--quiet', '-am', 'theirs')
      git('checkout', '--quiet', 'main')
      write(folder, 'cart.py', 'ours = 1\n')
      git('commit', '--quiet', '-am', 'ours')
      try {
        git('merge', '--quiet', 'other')
      } catch {
        // the conflict
      }
    },
    differs: { 'cart.py': '<<<<<<< HEAD\nours = 1\n=======\ntheirs = 1\n>>>>>>> other\n' },
  },
  {
    name: 'a detached HEAD',
    change(folder, git) {
      git('checkout', '--quiet', '--detach')
      write(folder, 'cart.py', 'x = 1\n')
    },
    differs: { 'cart.py': 'x = 1\n' },
  },
]

const definedOf = (differs: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(differs).flatMap(([path, content]) => (content === null ? [] : [[path, content]])))

/** The files of the last commit. */
function headOf(dir: string): Record<string, string> {
  const names = execFileSync('git', ['-C', dir, 'ls-tree', '-r', '-z', '--name-only', 'HEAD']).toString().split('\0')
  return Object.fromEntries(
    names
      .filter(path => path !== '')
      .map(path => [path, execFileSync('git', ['-C', dir, 'show', `HEAD:${path}`]).toString()]),
  )
}

for (const { name, files = FILES, change, differs } of CASES) {
  test(`what is read of a work tree with ${name}`, async t => {
    const { remote, look } = setup(t, files)
    change(remote.dir, remote.git)
    const before = stateOf(`${remote.dir}/.git`)
    const screen = await look()
    t.equal(screen.commit, remote.git('rev-parse', 'HEAD'), 'the commit is the person’s')
    t.equal(screen.uncommitted?.files ?? 0, Object.keys(differs).length, 'files that differ are counted')

    const head = headOf(remote.dir)
    const expected: Record<string, string> = { ...head, ...definedOf(differs) }
    for (const [path, content] of Object.entries(differs)) if (content === null) delete expected[path]
    t.strictSame(screen.files, expected)
    t.equal(stateOf(`${remote.dir}/.git`), before, 'nothing of the repository was written')
  })
}

test('programs that a hostile repository names are not run', async t => {
  const { remote, look } = setup(t, { ...FILES, '.gitattributes': '*.py filter=evil diff=evil merge=evil\n' })
  const ran = join(remote.dir, '../ran')
  const program = join(remote.dir, '../program')
  writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\nexec cat\n`, { mode: 0o755 })
  const inner = createGitRepository(join(remote.dir, 'inner'), { files: { 'a.txt': 'a\n' }, worktree: true })
  const settings = ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'diff.evil.textconv']
  for (const git of [remote.git, inner.git]) {
    for (const setting of [...settings, 'core.fsmonitor', 'core.sshCommand', 'core.pager', 'diff.external']) {
      git('config', setting, program)
    }
    git('config', 'core.hooksPath', join(remote.dir, '../hooks'))
    git('config', 'core.worktree', '/etc')
  }
  mkdirSync(join(remote.dir, '../hooks'))
  for (const hook of ['post-index-change', 'pre-commit', 'fsmonitor-watchman', 'reference-transaction']) {
    writeFileSync(join(remote.dir, '../hooks', hook), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 })
  }
  writeFileSync(join(remote.dir, 'cart.py'), 'x = 1\n')
  writeFileSync(join(remote.dir, 'new.py'), 'x = 2\n')
  writeFileSync(join(inner.dir, 'a.txt'), 'b\n')

  const { files } = await look()
  t.match(files, { 'cart.py': 'x = 1\n', 'new.py': 'x = 2\n' })
  t.notOk(
    Object.keys(files).some(path => path.startsWith('inner')),
    'another repository is another one',
  )
  t.notOk(existsSync(ran))
})

test('an index that names files elsewhere reads none of them', async t => {
  const { remote, look } = setup(t, FILES)
  writeFileSync(join(remote.dir, '../outside.py'), 'SECRET = 1\n')
  writeFileSync(join(remote.dir, 'aa/../x'.slice(0, 2)), 'x\n')
  remote.git('add', 'aa')
  const index = readFileSync(join(remote.dir, '.git/index'), 'latin1')
  // the checksum at the end is not looked at by git unless it is asked to verify it
  const hostile = index.replace('aa\0', '..\0')
  writeFileSync(join(remote.dir, '.git/index'), hostile, 'latin1')
  const { files } = await look()
  t.strictSame(Object.keys(files).sort(), ['aa', 'cart.py', 'lib/old.py', 'lib/tax.py'])
})

test('submodules stay as they are committed', async t => {
  const { remote, look } = setup(t, { ...FILES, 'vendor/sub': { submodule: 'a'.repeat(40) } })
  const inner = createGitRepository(join(remote.dir, 'vendor/sub'), { files: { 'a.py': 'a\n' }, worktree: true })
  writeFileSync(join(inner.dir, 'a.py'), 'b\n')
  writeFileSync(join(remote.dir, 'cart.py'), 'x = 1\n')
  const { files, uncommitted } = await look()
  t.equal(uncommitted?.files, 1)
  t.equal(files['vendor/sub'], `160000 ${'a'.repeat(40)}`)
})

test('a repository without a commit is read as it is on the disk, also once there is one', async t => {
  const { remote, look } = setup(t)
  await t.rejects(look(), { code: 'EMPTY_REPOSITORY' }, 'there is nothing at all')
  writeFileSync(join(remote.dir, 'first.py'), 'x = 1\n')
  for (const time of ['first', 'again']) {
    const { files, commit, uncommitted, history } = await look()
    t.match(uncommitted, { files: 1 }, time)
    t.strictSame(
      { files, commit, history },
      { files: { 'first.py': 'x = 1\n' }, commit: NOTHING_COMMITTED, history: 'full' },
    )
  }
  const first = remote.commit({ 'first.py': 'x = 1\n' })
  t.match(await look(), { commit: first, uncommitted: undefined, branch: 'main' })
})

test('a branch without a commit beside others is read as nothing, too', async t => {
  const { remote, look } = setup(t, FILES)
  remote.git('checkout', '--quiet', '--orphan', 'fresh')
  remote.git('rm', '--quiet', '-r', '-f', '.')
  writeFileSync(join(remote.dir, 'fresh.py'), 'x = 1\n')
  t.match(await look(), { commit: NOTHING_COMMITTED, files: { 'fresh.py': 'x = 1\n' } })
})

test('a work tree that was added to a repository has files and a HEAD of its own', async t => {
  const { remote, look } = setup(t, FILES)
  const added = join(remote.dir, '../added')
  remote.git('worktree', 'add', '--quiet', '-b', 'side', added)
  writeFileSync(join(added, 'cart.py'), 'side = 1\n')
  writeFileSync(join(remote.dir, 'cart.py'), 'main = 1\n')
  t.match(await look(added), { branch: 'side', uncommitted: { files: 1 }, files: { 'cart.py': 'side = 1\n' } })
  t.match(await look(), { branch: 'main', uncommitted: { files: 1 }, files: { 'cart.py': 'main = 1\n' } })
})

test('a bare repository has no files but those of its commits', async t => {
  const { remote, look } = setup(t, FILES)
  remote.git('clone', '--quiet', '--bare', '.', '../bare')
  t.match(await look(join(remote.dir, '../bare')), { uncommitted: undefined, branch: 'main' })
})

test('what was read is read again when it changes, and only then', async t => {
  const { remote, clones, look } = setup(t, FILES)
  const old = (path: string) => utimesSync(join(remote.dir, path), 1_700_000_000, 1_700_000_000)
  writeFileSync(join(remote.dir, 'cart.py'), 'a = 1\n')
  const first = await look()
  old('cart.py')
  const second = await look()
  t.equal(second.uncommitted?.commit, first.uncommitted?.commit, 'the same files are the same snapshot')
  writeFileSync(join(remote.dir, 'cart.py'), 'a = 2\n')
  const third = await look()
  t.equal(third.files['cart.py'], 'a = 2\n', 'as long as before')
  const dates = third.gitDir
  t.match(
    execFileSync('git', [
      `--git-dir=${dates}`,
      'log',
      '-1',
      '--format=%an %P',
      third.uncommitted?.commit ?? '',
    ]).toString(),
    `Not Committed Yet ${third.commit}`,
  )

  remote.git('checkout', '--quiet', '--', '.')
  t.match(await look(), { uncommitted: undefined, files: { 'cart.py': FILES['cart.py'] } })
  t.strictSame(
    readdirSync(clones).filter(name => name.startsWith('.tmp')),
    [],
    'nothing is left over',
  )
})

test('a work tree with more than a person would write is refused, and its clone stays of use', async t => {
  const { remote, look, sync } = setup(t, FILES)
  for (let at = 0; at < 33; at++) {
    write(remote.dir, `${at}.bin`, '')
    truncateSync(join(remote.dir, `${at}.bin`), 8 * 1_048_576)
  }
  const options = { signal: new AbortController().signal, onProgress: () => {} }
  const { gitDir } = await sync({ url: remote.dir, projectName: 'shop' }, options)
  const before = stateOf(gitDir)
  await t.rejects(look(), {
    code: 'REPOSITORY_TOO_LARGE',
    message: 'The files of the work tree that differ from its last commit hold 264 MiB; at most 256 MiB are read.',
    fix: /\.gitignore.*--committed/,
  })
  t.equal(stateOf(gitDir), before, 'nothing of them was copied')
  t.match(await sync({ url: remote.dir, projectName: 'shop' }, options), { uncommitted: undefined })
})

test('a snapshot goes with its project', async t => {
  const { remote, look, sync, release } = setup(t, FILES)
  writeFileSync(join(remote.dir, 'cart.py'), 'a = 1\n')
  const { gitDir } = await look()
  const refs = () => execFileSync('git', [`--git-dir=${gitDir}`, 'for-each-ref', '--format=%(refname)']).toString()
  t.match(refs(), 'refs/faultline-uncommitted/shop')
  const options = { signal: new AbortController().signal, onProgress: () => {} }
  t.match(await sync({ url: remote.dir, projectName: 'shop' }, options), { uncommitted: undefined })
  t.notMatch(refs(), 'refs/faultline-uncommitted', 'who asks for the commit gets that')

  await look()
  await sync({ url: remote.dir, projectName: 'other' }, options)
  await release('shop')
  t.match(refs(), 'refs/faultline/other')
  t.notMatch(refs(), 'shop', 'a project that goes takes it along')
})

test('after any edits a snapshot holds the files that are on the disk', { timeout: 120_000 }, async t => {
  const { look, create } = setup(t)
  let version = 0
  const content = (): string => `x = ${++version % 3}\n`
  await fc.assert(
    fc.asyncProperty(roundsOfEdits, async rounds => {
      const repository = create(`shop${++version}`, { 'a.py': content(), 'lib/c.py': content(), 'stays.py': content() })
      const carryOut = createEditor(repository, content)
      for (const edits of rounds) {
        for (const one of edits) carryOut(one)
        const { files, commit, uncommitted } = await look(repository.dir)
        const status = repository.git('status', '--porcelain', '--untracked-files=all')
        assert.deepEqual(files, Object.fromEntries(filesOn(repository.dir)), status)
        assert.equal(commit, repository.git('rev-parse', 'HEAD'))
        if (status === '') assert.equal(uncommitted, undefined)
      }
    }),
    { numRuns: runs(40) },
  )
})
