import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { NOT_COMMITTED, NOTHING_COMMITTED } from '../../../src/core/uncommitted.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const CART = 'def total(items):\n    return sum(items)\n'
const FILES = {
  'cart.py': CART,
  'shop.py': 'from cart import total\n\ndef pay(items):\n    return total(items)\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/app/shop.py", line 4, in pay\n    return total(items)\n' +
  '  File "/app/cart.py", line 5, in total\n    return sum(prices)\nTypeError: no\n'

function setUp(t: Test, files?: TestFiles) {
  const home = testFolder(t)
  const shop = createGitRepository(join(home, 'shop'), { files, worktree: true })
  const cli = createCli(home)
  const data = ['--data-dir', join(home, 'data')]
  const call = async (...args: string[]) => cli.call([...args, ...data], { input: TRACE, cwd: shop.dir })
  return {
    shop,
    call,
    write: (path: string, text: string) => writeFileSync(join(shop.dir, path), text),
    resolve: async (...args: string[]) => {
      const { stdout, stderr } = await call('resolve', '-', '--mode', 'context', '--json', ...args)
      try {
        return JSON.parse(stdout)
      } catch {
        throw new Error(stderr)
      }
    },
    search: async (query: string, ...args: string[]) => {
      const { stdout } = await call('search', query, '--json', '--repo', '.', ...args)
      return JSON.parse(stdout)
    },
  }
}

const placesOf = ({ frames }: { frames: Array<{ path: string | null; code_line: number | null }> }) =>
  frames.map(({ path, code_line: line }) => `${path}:${line}`)

test('resolve and search read the code as it is on the disk', async t => {
  const { shop, write, resolve, search, call } = setUp(t, FILES)
  const head = shop.git('rev-parse', 'HEAD')
  const clean = await resolve()
  t.equal(clean.uncommitted_files, undefined)
  t.notMatch(clean.context, 'prices')

  write('cart.py', 'import sys\n\n\ndef total(prices):\n    return sum(prices)\n')
  write('brandnew.py', 'def discountcoupon():\n    return 7\n')
  const changed = await resolve()
  t.match(changed, { commit: head, uncommitted_files: 2 })
  t.strictSame(placesOf(changed), ['shop.py:4', 'cart.py:5'])
  t.match(changed.context, /return sum\(prices\)/)
  t.match((await call('resolve', '-', '--mode', 'context')).stdout, `Code of shop-`)
  t.match(
    (await call('resolve', '-', '--mode', 'context')).stdout,
    new RegExp(`as committed in ${head.slice(0, 10)} with uncommitted changes in 2 files,`),
  )
  t.match(await search('discountcoupon'), { data: [{ path: 'brandnew.py' }], uncommitted_files: 2 })
  t.match(
    (await call('search', 'discountcoupon', '--repo', '.')).stdout,
    /Searched with uncommitted changes in 2 files/,
  )
  t.match((await call('projects')).stdout, / with uncommitted changes in 2 files/)

  const committed = await resolve('--committed')
  t.match(committed, { commit: head, uncommitted_files: undefined })
  t.notMatch(committed.context, 'prices')
  t.strictSame(
    (await search('discountcoupon', '--committed')).data.filter((hit: { path: string }) => hit.path === 'brandnew.py'),
    [],
  )
  t.equal((await resolve('--ref', 'main')).uncommitted_files, undefined, 'who names a commit gets that')

  rmSync(join(shop.dir, 'cart.py'))
  const deleted = await resolve()
  t.strictSame(placesOf(deleted), ['shop.py:4'])
  shop.git('checkout', '--quiet', '--', '.')
  rmSync(join(shop.dir, 'brandnew.py'))
  t.match(await resolve(), { uncommitted_files: undefined, commit: head })
})

test('nobody is suspected of a line that is not committed', async t => {
  const { write, resolve } = setUp(t, FILES)
  write('cart.py', 'import sys\n\n\ndef total(prices):\n    return sum(prices)\n')
  await resolve('--ref', 'main') // waits for the history
  const found = await resolve()
  t.equal(found.suspects_status, 'ok')
  const [own, other, ...more] = found.suspect_commits
  t.match(own, {
    commit: NOT_COMMITTED,
    path: 'cart.py',
    lines: [5],
    why: /changed the failing line cart\.py:5, which is not committed/,
  })
  t.match(other, { author: 'Ada Tester', path: 'cart.py', why: /before the commit/ }, 'what the line was before')
  t.strictSame(more, [])
})

test('a repository without a commit, and a folder within one', async t => {
  const { shop, write, resolve, call } = setUp(t)
  mkdirSync(join(shop.dir, 'lib'))
  write('shop.py', FILES['shop.py'])
  write('lib/cart.py', 'import sys\n\n\ndef total(prices):\n    return sum(prices)\n')
  t.match(await resolve('--repo', 'lib'), { commit: NOTHING_COMMITTED, uncommitted_files: 2 })
  t.match((await call('resolve', '-')).stdout, /nothing committed yet, with uncommitted changes in 2 files/)
  t.match(await call('resolve', '-', '--committed'), { exitCode: 1, stderr: /has no commits yet/ })
})

test('options that exclude each other', async t => {
  const { call } = setUp(t, FILES)
  t.match(await call('search', 'x', '--committed'), { exitCode: 2, stderr: /--committed goes with --repo/ })
  t.match(await call('search', 'x', '--repo', '.', '--project', 'a'), { exitCode: 2, stderr: /exclude each other/ })
  t.match(await call('resolve', '-', '--project', 'a', '--committed'), { exitCode: 2, stderr: /--committed is for/ })
})
