import { test } from 'tap'
import type { MappedFrame } from '../../../src/core/frame.ts'
import type { LineChange, LineHistory, SuspectSearch } from '../../../src/repos/history/suspects.ts'
import type { RankedFrame } from '../../../src/resolver/ranking/rank-frames.ts'
import { findSuspects, markedLines } from '../../../src/resolver/answer/suspects.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const daysBefore = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString()
const id = (digit: string) => digit.repeat(40)

const NOWHERE = {
  exception: 0,
  raw: '',
  column: null,
  function: null,
  sourceText: null,
  repeat: 1,
  inProject: true,
  match: 'exact',
  why: '',
  candidates: [],
} as const

/** Frames as `path:line`, the failing one first. */
function ranked(...places: string[]): RankedFrame[] {
  return places.map((place, rank) => {
    const [path = '', line = ''] = place.split(':')
    const at = {
      file: path,
      line: Number(line),
      path,
      repository: path.startsWith('lib/') ? 'lib' : 'shop',
      codeLine: line === '?' ? null : Number(line),
    }
    const frame: MappedFrame = { ...NOWHERE, candidates: [], ...at, index: places.length - rank }
    return { frame, rank, distance: 0, why: '' }
  })
}

const change = (
  digit: string,
  path: string,
  lines: number[],
  days: number,
  kind: LineChange['kind'] = 'last',
): LineChange => ({
  commit: id(digit),
  author: 'Ada',
  date: daysBefore(days),
  summary: `Commit ${digit}`,
  path,
  lines,
  kind,
})

async function suspects(
  frames: RankedFrame[],
  changes: LineChange[],
  { tracedAt = NOW, status = 'ok' }: { tracedAt?: Date | null; status?: LineHistory['status'] } = {},
) {
  const asked: SuspectSearch[] = []
  const found = await findSuspects(
    { lines: markedLines(frames, () => id('c')), tracedAt: tracedAt?.getTime() ?? null },
    async search => {
      asked.push(search)
      return { status, changes: changes.filter(({ path }) => search.ranges.some(range => range.path === path)) }
    },
  )
  return { ...found, asked, order: found.suspectCommits.map(({ commit }) => commit.charAt(0)) }
}

test('the marked lines are asked for by repository and file, the failing one told apart', async t => {
  const { asked } = await suspects(ranked('src/a.py:6', 'src/b.py:9', 'src/a.py:2', 'lib/x.py:1', 'src/c.py:?'), [])
  t.same(asked, [
    {
      repository: 'shop',
      commit: id('c'),
      ranges: [
        { path: 'src/a.py', lines: [6, 2], failing: [6] },
        { path: 'src/b.py', lines: [9], failing: [] },
      ],
    },
    { repository: 'lib', commit: id('c'), ranges: [{ path: 'lib/x.py', lines: [1], failing: [] }] },
  ])
})

test('who changed the failing line last comes before who did so earlier, and before who changed a caller', async t => {
  const { order, suspectCommits } = await suspects(ranked('a.py:6', 'b.py:9'), [
    change('1', 'b.py', [9], 5),
    change('2', 'a.py', [6], 5, 'earlier'),
    change('3', 'a.py', [6], 5),
  ])
  t.same(order, ['3', '2', '1'])
  t.match(suspectCommits[0], {
    commit: id('3'),
    author: 'Ada',
    summary: 'Commit 3',
    path: 'a.py',
    lines: [6],
    why: 'last changed the failing line a.py:6, 5 days before the trace; touches 1 of 2 frames',
  })
  t.match(suspectCommits[1], {
    why:
      'changed the failing line a.py:6 before the commit that it is from now, 5 days before the trace; touches ' +
      '1 of 2 frames',
  })
  t.match(suspectCommits[2], {
    why: "last changed a caller's line b.py:9, 5 days before the trace; touches 1 of 2 frames",
  })
})

test('of two alike the later one, and the one that touches more frames, comes first', async t => {
  t.same(
    (await suspects(ranked('a.py:6', 'b.py:9', 'c.py:3'), [change('1', 'b.py', [9], 300), change('2', 'c.py', [3], 1)]))
      .order,
    ['2', '1'],
  )
  t.same(
    (
      await suspects(ranked('x.py:1', 'a.py:6', 'b.py:9', 'c.py:3'), [
        change('1', 'a.py', [6], 2),
        change('2', 'b.py', [9], 2),
        change('2', 'c.py', [3], 2),
      ])
    ).order,
    ['2', '1'],
  )
})

test('a commit made after the trace was logged is not left out but counts for little', async t => {
  const { order, suspectCommits } = await suspects(ranked('a.py:6', 'b.py:9'), [
    change('1', 'a.py', [6], -40),
    change('2', 'b.py', [9], 100),
  ])
  t.same(order, ['2', '1'])
  t.match(suspectCommits[1]?.why, /after the time of the trace/)
  t.match(
    (await suspects(ranked('a.py:6'), [change('1', 'a.py', [6], -0.5)])).suspectCommits,
    [{ why: /about the time of the trace/, score: 1 }],
    'a zone that a log leaves out is no reason',
  )
})

test('when nobody knows when it crashed, the newest of them counts as new', async t => {
  const { suspectCommits } = await suspects(ranked('a.py:6'), [change('1', 'a.py', [6], 4_000)], { tracedAt: null })
  t.match(suspectCommits, [{ score: 1, why: 'last changed the failing line a.py:6' }])
})

test('scores lie between 0 and 1, best first, and no more than five are given', async t => {
  const frames = ranked(...Array.from({ length: 8 }, (_, index) => `f${index}.py:1`))
  const { suspectCommits } = await suspects(
    frames,
    Array.from({ length: 8 }, (_, index) => change(String(index), `f${index}.py`, [1], index * 50)),
  )
  t.equal(suspectCommits.length, 5)
  const scores = suspectCommits.map(({ score }) => score)
  t.same(
    scores,
    scores.toSorted((a, b) => b - a),
  )
  t.ok(scores.every(score => score >= 0 && score <= 1))
})

test('one commit is one suspect, by the line nearest to the failure', async t => {
  const { suspectCommits } = await suspects(ranked('a.py:6', 'b.py:9', 'a.py:2'), [
    change('1', 'b.py', [9], 1),
    change('1', 'a.py', [2, 6], 1),
  ])
  t.match(suspectCommits, [{ path: 'a.py', lines: [2, 6], score: 0.99, why: /touches 3 of 3 frames$/ }])
  t.equal(suspectCommits.length, 1)
})

test('the status is the worst of the repositories; without a frame in the project there is nothing to ask', async t => {
  t.match(await suspects(ranked('a.py:6'), [change('1', 'a.py', [6], 1)], { status: 'timed_out' }), {
    suspectsStatus: 'timed_out',
    suspectCommits: [{ lines: [6] }],
  })
  t.match(await suspects(ranked('a.py:6'), [], { status: 'shallow_history' }), {
    suspectsStatus: 'shallow_history',
    suspectCommits: [],
  })
  t.match(await suspects([], []), { suspectsStatus: 'ok', suspectCommits: [], asked: [] })
})

test('a line of a library that the repository keeps is no caller', async t => {
  const { suspectCommits } = await suspects(ranked('a.go:6', 'vendor/b.io/b/b.go:9'), [
    change('1', 'vendor/b.io/b/b.go', [9], 5),
  ])
  t.match(suspectCommits, [
    { why: "last changed a library's line vendor/b.io/b/b.go:9, 5 days before the trace; touches 1 of 2 frames" },
  ])
})
