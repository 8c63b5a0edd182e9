import { test, type Test } from 'tap'
import {
  createChangesSinceSearch,
  type ChangesSince,
  type WatchedPlace,
} from '../../../src/repos/history/changes-since.ts'
import { GitTurns } from '../../../src/repos/history/git-turns.ts'
import type { TestRepository } from '../../helpers/git-repository.ts'
import { cloned, GIT, numbered } from './search-in.ts'

/** The failing line 5 in a function from line 4 to 8. */
const PLACE: WatchedPlace = { path: 'src/a.py', line: 5, startLine: 4, endLine: 8, failing: true }

const inserted = (text: string, before: number, line: string) =>
  text
    .split('\n')
    .toSpliced(before - 1, 0, line)
    .join('\n')

interface Built {
  /** The commit that the code is read at; default: the first one. */
  at?: string
  tip: string
}

async function since(
  t: Test,
  build: (remote: TestRepository) => Built,
  { places = [PLACE], depth = 'full' }: { places?: WatchedPlace[]; depth?: 'full' | 'shallow' } = {},
): Promise<ChangesSince & { said: Array<[summary: string, lines: number[]]> | null }> {
  let built: Built = { tip: '' }
  const { clones, remote, repos } = await cloned(t, {
    depth,
    build(made) {
      built = build(made)
      return built.tip
    },
  })
  const search = createChangesSinceSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000 })
  const commit = built.at ?? remote.git('rev-list', '--max-parents=0', 'main')
  if (built.at !== undefined) {
    await repos.fetchRef({ repository: 'shop', ref: commit, timeoutMs: 60_000 }, new AbortController().signal)
  }
  const found = await search({ repository: 'shop', commit, tip: built.tip, places })
  return { ...found, said: found.changes?.map(({ summary, lines }) => [summary, lines]) ?? null }
}

test('later commits that changed the function are told, newest first, in lines of the commit that was read', async t => {
  const { said, changes, status, failingLineGone } = await since(t, made => {
    made.commit({ 'src/a.py': numbered({ 1: 'elsewhere' }) }, { message: 'Change something else' })
    const one = inserted(numbered({ 1: 'elsewhere' }), 1, 'import x')
    made.commit({ 'src/a.py': one }, { message: 'Shift all lines' })
    const two = one.replace('line 7\n', 'seven\n')
    made.commit({ 'src/a.py': two }, { message: 'Change a neighbour' })
    made.commit({ 'other.py': 'x\n' }, { message: 'Change another file' })
    const three = inserted(two, 6, 'guard()')
    made.commit({ 'src/a.py': three }, { message: 'Add a guard' })
    return { tip: made.commit({ 'src/a.py': three.replace('seven', 'sieben') }, { message: 'Change it again' }) }
  })
  t.same(said, [
    ['Change it again', [7]],
    ['Add a guard', [5]],
    ['Change a neighbour', [7]],
  ])
  t.match(changes?.[1], { commit: /^[0-9a-f]{40}$/, date: '2024-01-01T05:00:00.000Z', path: 'src/a.py' })
  t.equal(status, 'ok')
  t.equal(failingLineGone, false, 'the failing line is where it was')
})

test('a failing line that is changed or deleted is gone; one that is moved or indented is not', async t => {
  const tipOf = (text: string | null) => (made: TestRepository) => ({
    tip: made.commit({ 'src/a.py': text }, { message: 'Change it' }),
  })
  t.match(await since(t, tipOf(numbered({ 5: 'mended' }))), { said: [['Change it', [5]]], failingLineGone: true })
  t.match(await since(t, tipOf(numbered().replace('line 5\n', ''))), {
    said: [['Change it', [5]]],
    failingLineGone: true,
  })
  t.match(await since(t, tipOf(null)), { said: [['Change it', [4, 5, 6, 7, 8]]], failingLineGone: true })
  t.match(await since(t, tipOf(numbered({ 5: 'if x:\n    line 5' }))), {
    said: [['Change it', [5]]],
    failingLineGone: false,
  })
  t.match(await since(t, tipOf(`${numbered().replace('line 5\n', '')}line 5\n`)), {
    said: [['Change it', [5]]],
    failingLineGone: false,
  })
})

test('a file is followed through renamings', async t => {
  const { said, failingLineGone, changes } = await since(t, made => {
    made.commit({ 'src/a.py': numbered({ 7: 'before' }) }, { message: 'Before the move' })
    made.commit({ 'src/a.py': null, 'lib/b.py': numbered({ 7: 'before' }) }, { message: 'Move the file' })
    return { tip: made.commit({ 'lib/b.py': numbered({ 5: 'after', 7: 'before' }) }, { message: 'After the move' }) }
  })
  t.same(said, [
    ['After the move', [5]],
    ['Before the move', [7]],
  ])
  t.same(new Set(changes?.map(({ path }) => path)), new Set(['src/a.py']))
  t.equal(failingLineGone, true)
})

test('changes of merged branches count, merges themselves do not', async t => {
  const { said } = await since(t, made => {
    const side = made.commit({ 'src/a.py': numbered({ 6: 'side' }) }, { message: 'On the side', branch: 'side' })
    made.commit({ 'src/a.py': numbered({ 1: 'main' }) }, { message: 'On main' })
    return { tip: made.commit({ 'src/a.py': numbered({ 1: 'main', 6: 'side' }) }, { message: 'Merge', merge: side }) }
  })
  t.same(said, [['On the side', [6]]])
})

test('of a commit on another branch the commits are told that the branch lacks', async t => {
  const fixed = await since(t, made => {
    const at = made.commit({ 'README.md': 'words' }, { message: 'Release', branch: 'release' })
    return { at, tip: made.commit({ 'src/a.py': numbered({ 5: 'mended' }) }, { message: 'Mend it' }) }
  })
  t.match(fixed, { said: [['Mend it', [5]]], failingLineGone: true })
  const own = await since(t, made => {
    const at = made.commit({ 'src/a.py': numbered({ 5: 'own' }) }, { message: 'On the branch', branch: 'release' })
    return { at, tip: made.commit({ 'README.md': 'words' }, { message: 'Write words' }) }
  })
  t.match(own, { said: [], failingLineGone: false }, 'the followed branch never had this line')
})

test('nothing is told where the commit is no earlier one, and nothing changed where the file is the same', async t => {
  const ahead = await since(t, made => {
    const tip = made.commit({ 'README.md': 'words' })
    const at = made.commit({ 'src/a.py': numbered({ 5: 'newer' }) }, { branch: 'next' })
    made.git('update-ref', 'refs/tags/next', at)
    return { at, tip }
  })
  t.match(ahead, { status: 'ok', changes: null, failingLineGone: false })
  t.match(await since(t, made => ({ tip: made.commit({ 'README.md': 'words' }) })), { status: 'ok', changes: [] })
})

test('without the history nothing is known; hostile names are none', async t => {
  const built = (made: TestRepository) => ({ tip: made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  t.match(await since(t, built, { depth: 'shallow' }), { status: 'shallow_history', changes: null })
  const { clones, commit } = await cloned(t, { build: made => built(made).tip })
  const search = createChangesSinceSearch({ clonedReposDir: clones, searchPath: GIT })
  for (const repository of ['../shop', 'none', '']) {
    t.match(await search({ repository, commit, tip: commit, places: [PLACE] }), { status: 'shallow_history' })
  }
  const odd = await search({ repository: 'shop', commit: '--all', tip: commit, places: [PLACE] })
  t.match(odd, { status: 'shallow_history', changes: null })
  const magic = { ...PLACE, path: ':(glob)**' }
  t.match(await since(t, built, { places: [magic] }), { status: 'ok', changes: [] })
})

test('the nearest places decide which of many changes are told', async t => {
  const far: WatchedPlace = { path: 'src/far.py', line: 1, startLine: 1, endLine: 1, failing: false }
  const { changes } = await since(
    t,
    made => {
      const at = made.commit({ 'src/far.py': 'far\n' })
      made.commit({ 'src/a.py': numbered({ 5: 'near' }) }, { message: 'Near' })
      let tip = at
      for (let n = 0; n < 12; n++) tip = made.commit({ 'src/far.py': `far ${n}\n` }, { message: `Far ${n}` })
      return { at, tip }
    },
    { places: [PLACE, far] },
  )
  t.equal(changes?.length, 10)
  t.match(changes?.at(-1), { summary: 'Near', path: 'src/a.py', lines: [5] })
  t.match(changes?.[0], { summary: 'Far 11', path: 'src/far.py', lines: [1] })
})

test('a search without time says so, and the next one is given it', async t => {
  const {
    clones,
    remote,
    commit: tip,
  } = await cloned(t, {
    build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }, { message: 'Change it' }),
  })
  const commit = remote.git('rev-list', '--max-parents=0', 'main')
  const asked = { repository: 'shop', commit, tip, places: [PLACE] }
  const hurried = createChangesSinceSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 0 })
  t.match(await hurried(asked), { status: 'timed_out', changes: null })
  const turns = new GitTurns({ maxWaiting: -1 })
  t.match(await createChangesSinceSearch({ clonedReposDir: clones, searchPath: GIT, turns })(asked), {
    status: 'timed_out',
  })
  const search = createChangesSinceSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000 })
  await t.rejects(search({ ...asked, signal: AbortSignal.abort(new Error('left')) }), { message: 'left' })
  const found = await search(asked)
  t.match(found, { status: 'ok', changes: [{ summary: 'Change it' }] })
  t.equal(await search(asked), found, 'what was found is kept')
})
