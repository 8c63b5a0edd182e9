import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test, type Test } from 'tap'
import { createBisecting, type BisectState } from '../../../src/repos/history/bisect.ts'
import { createGitRepository, type TestRepository } from '../../helpers/git-repository.ts'
import { runs } from '../../helpers/property-runs.ts'
import { testFolder } from '../../helpers/test-folder.ts'
import { GIT } from './search-in.ts'

/** A repository `shop` in a folder of clones, and what bisects there. */
function shopIn(t: Test) {
  const root = testFolder(t)
  return {
    root,
    repository: createGitRepository(join(root, 'shop')),
    bisecting: createBisecting({ clonedReposDir: root, searchPath: GIT }),
  }
}

type Outcome = 'good' | 'bad' | 'skipped'

/** Bisects to the end. */
async function bisect(
  bisecting: ReturnType<typeof createBisecting>,
  { good, bad, test: outcomeOf }: { good: string[]; bad: string; test: (commit: string) => Outcome },
) {
  const state = { repository: 'shop', good: [...good], bad, skipped: [] as string[] } satisfies BisectState
  const tested: string[] = []
  for (;;) {
    const next = await bisecting.nextToBisect(state)
    if (next.kind !== 'test') return { end: next, tested }
    tested.push(next.commit)
    const outcome = outcomeOf(next.commit)
    if (outcome === 'good') state.good.push(next.commit)
    else if (outcome === 'skipped') state.skipped.push(next.commit)
    else state.bad = next.commit
  }
}

/** What `git bisect run` says of the same in a work tree: the first bad commit, or those that are left. */
function byGit(
  root: string,
  { good, bad, outcomes }: { good: string; bad: string; outcomes: ReadonlyMap<string, Outcome> },
): { found: string } | { candidates: string[] } {
  const tree = join(root, 'tree')
  execFileSync('git', ['clone', '-q', '--no-checkout', join(root, 'shop'), tree])
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: tree, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: root } })
  const codes = { good: 0, bad: 1, skipped: 125 }
  const script = join(root, 'check.sh')
  const cases = [...outcomes].map(([commit, outcome]) => `${commit}) exit ${codes[outcome]};;`).join('\n')
  writeFileSync(script, `case $(git rev-parse BISECT_HEAD) in\n${cases}\nesac\nexit 0\n`)
  git('bisect', 'start', '--no-checkout', bad, good)
  const { stdout } = git('bisect', 'run', 'sh', script)
  const found = /^([0-9a-f]{40}) is the first bad commit$/m.exec(stdout)?.[1]
  if (found !== undefined) return { found }
  const [, list = ''] = /The first bad commit could be any of:\n((?:[0-9a-f]{40}\n)+)/.exec(stdout) ?? []
  return { candidates: list.trim().split('\n').sort() }
}

test('of a line of commits the first bad one is found in a logarithm of tests', async t => {
  const { repository, bisecting } = shopIn(t)
  const ids = Array.from({ length: 100 }, (_, n) => repository.commit({ a: `${n}\n` }, { message: `Commit ${n}` }))
  const placeOf = (commit: string) => ids.indexOf(commit)
  const [good = '', bad = ''] = [ids[0], ids.at(-1)]
  for (const culprit of [1, 37, 98, 99]) {
    const { end, tested } = await bisect(bisecting, {
      good: [good],
      bad,
      test: commit => (placeOf(commit) >= culprit ? 'bad' : 'good'),
    })
    t.same(end, { kind: 'found', commit: ids[culprit] })
    t.ok(tested.length <= 7, `${tested.length} tests`)
  }
  const first = await bisecting.nextToBisect({ repository: 'shop', good: [good], bad, skipped: [] })
  t.match(first, { kind: 'test', left: 49, steps: 6 })
  t.same(await bisecting.bisectRange({ repository: 'shop', good, bad }), { bases: [good], commits: 99, cutOff: 0 })
})

test('a range of one commit needs no test', async t => {
  const { repository, bisecting } = shopIn(t)
  const good = repository.commit({ a: '1' })
  const bad = repository.commit({ a: '2' })
  t.same(await bisecting.nextToBisect({ repository: 'shop', good: [good], bad, skipped: [] }), {
    kind: 'found',
    commit: bad,
  })
})

test('skipped commits are gone around; when only they are left, all candidates are told', async t => {
  const { repository, bisecting } = shopIn(t)
  const ids = Array.from({ length: 12 }, (_, n) => repository.commit({ a: `${n}\n` }))
  const ends = (culprit: number, broken: number[]) =>
    bisect(bisecting, {
      good: [ids[0] ?? ''],
      bad: ids.at(-1) ?? '',
      test(commit) {
        const at = ids.indexOf(commit)
        if (broken.includes(at)) return 'skipped'
        return at >= culprit ? 'bad' : 'good'
      },
    })
  t.match(await ends(9, [4, 5, 6]), { end: { kind: 'found', commit: ids[9] } })
  const { end } = await ends(6, [4, 5, 6])
  t.equal(end.kind, 'undecided')
  t.same(end.kind === 'undecided' && [...end.candidates].sort(), ids.slice(4, 8).sort())
})

test('commits are described in their order, each on one line', async t => {
  const { repository, bisecting } = shopIn(t)
  const one = repository.commit({ a: '1' }, { message: 'Bad\u001b[31m\n\nbody' })
  const two = repository.commit({ a: '2' }, { message: 'Second' })
  t.match(await bisecting.describeCommits({ repository: 'shop', commits: [two, one] }), [
    { commit: two, author: 'Ada Tester', date: '2024-01-01T01:00:00.000Z', summary: 'Second' },
    { commit: one, summary: /^Bad \[31m$/ },
  ])
  t.same(await bisecting.describeCommits({ repository: 'shop', commits: [] }), [])
})

test('what is no commit of a clone is refused, and no option of git', async t => {
  const { root, repository, bisecting } = shopIn(t)
  const commit = repository.commit({ a: '1' })
  const state = { repository: 'shop', good: [commit], bad: commit, skipped: [] }
  for (const bad of ['--all', 'main', '', 'f'.repeat(40)]) {
    await t.rejects(bisecting.nextToBisect({ ...state, bad }), { code: 'NOT_FOUND' }, bad)
    await t.rejects(bisecting.bisectRange({ repository: 'shop', good: commit, bad }), { code: 'NOT_FOUND' }, bad)
    await t.rejects(bisecting.describeCommits({ repository: 'shop', commits: [bad] }), { code: 'NOT_FOUND' }, bad)
  }
  mkdirSync(join(root, 'empty'))
  for (const name of ['../shop', 'nope', 'empty']) {
    await t.rejects(bisecting.nextToBisect({ ...state, repository: name }), { code: 'NOT_FOUND' }, name)
  }
  const orphan = repository.commit({ b: '1' }, { orphan: true, branch: 'other' })
  t.match(await bisecting.bisectRange({ repository: 'shop', good: orphan, bad: commit }), { bases: [] })
})

/** A history with merges: each commit has one of the earlier ones as its parent, and perhaps a second one. */
const HISTORY = fc.array(fc.record({ parent: fc.nat(3), merge: fc.option(fc.nat(5)), broken: fc.boolean() }), {
  minLength: 2,
  maxLength: 14,
})

interface Grown {
  ids: string[]
  /** The commits that a commit is built on, itself among them. */
  builtOn: Map<string, ReadonlySet<string>>
}

function grow(repository: TestRepository, history: ReadonlyArray<{ parent: number; merge: number | null }>): Grown {
  const ids = [repository.commit({ n: 'root\n' })]
  const builtOn = new Map<string, ReadonlySet<string>>([[ids[0] ?? '', new Set(ids)]])
  for (const [n, { parent, merge }] of history.entries()) {
    const at = (back: number): string => ids.at(-1 - Math.min(back, ids.length - 1)) ?? ''
    const first = at(parent)
    const second = merge === null ? undefined : at(merge)
    const isMerge = second !== undefined && builtOn.get(first)?.has(second) === false
    const id = repository.commit({ n: `${n}\n` }, { parent: first, ...(isMerge ? { merge: second } : {}) })
    ids.push(id)
    const parents = isMerge ? [first, second] : [first]
    builtOn.set(id, new Set([...parents.flatMap(one => [...(builtOn.get(one) ?? [])]), id]))
  }
  return { ids, builtOn }
}

test('the first bad commit is the one that git bisect run finds, in any history', { timeout: 120_000 }, async t => {
  await fc.assert(
    fc.asyncProperty(HISTORY, fc.nat(), fc.boolean(), async (history, drawn, hasSkips) => {
      const { root, repository, bisecting } = shopIn(t)
      const { ids, builtOn } = grow(repository, history)
      const [good = '', bad = ''] = [ids[0], ids.at(-1)]
      const all = [...(builtOn.get(bad) ?? [])].filter(id => id !== good)
      const culprit = all[drawn % all.length] ?? bad
      const isBad = (id: string) => builtOn.get(id)?.has(culprit) === true
      const broken = new Set(history.flatMap((one, index) => (one.broken ? [ids[index + 1]] : [])))
      const outcomes = new Map<string, Outcome>(
        all.map(id => {
          if (hasSkips && id !== bad && broken.has(id)) return [id, 'skipped']
          return [id, isBad(id) ? 'bad' : 'good']
        }),
      )
      const { end, tested } = await bisect(bisecting, {
        good: [good],
        bad,
        test: commit => outcomes.get(commit) ?? 'good',
      })
      if (new Set(tested).size !== tested.length) throw new Error('a commit was tested twice')
      const git = byGit(root, { good, bad, outcomes })
      t.same(end.kind === 'found' ? { found: end.commit } : { candidates: end.candidates.toSorted() }, git)
      if (end.kind === 'found' && end.commit !== culprit) throw new Error('another commit than the culprit was found')
    }),
    { numRuns: runs(100), endOnFailure: true },
  )
})
