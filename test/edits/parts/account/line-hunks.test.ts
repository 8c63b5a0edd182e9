import { test } from 'tap'
import { lineHunks } from '../../../../src/edits/parts/account/line-hunks.ts'
import type { Content } from '../../../../src/edits/parts/account/content-lines.ts'

/** Lines with their numbers; those with a hash are comments. */
function contentOf(text: string): Content {
  const all = text.split(' ').map((own, at) => ({ text: own, at, words: [own], owner: -1, ownerName: '' }))
  return {
    lines: all.filter(({ text: own }) => !own.startsWith('#')),
    comments: all.filter(({ text: own }) => own.startsWith('#')).map(({ text: own, at }) => ({ text: own, at })),
  } as unknown as Content
}

/** Each hunk as "lost > fresh", with its new comments. */
const hunks = (before: string, after: string): string[] =>
  lineHunks(contentOf(before), contentOf(after)).map(({ lost, fresh, comments }) =>
    [lost.map(({ text }) => text).join(' '), '>', fresh.map(({ text }) => text).join(' '), ...comments]
      .join(' ')
      .replaceAll('  ', ' ')
      .trim(),
  )

test('lines between those that both files have stand for each other', async t => {
  t.same(hunks('a b c', 'a b c'), [])
  t.same(hunks('a x c', 'a y c'), ['x > y'])
  t.same(hunks('a x c z', 'a y y2 c'), ['x > y y2', 'z >'])
  t.same(hunks('x a', 'a'), ['x >'])
  t.same(hunks('x a y b', 'a z b'), ['x >', 'y > z'])
  t.same(hunks('a y b', 'x a z b'), ['> x', 'y > z'])
  t.same(hunks('a', 'x a y'), ['> x', '> y'])
})

test('a line that moved is neither lost nor new, as often as both files have it', async t => {
  t.same(hunks('a b c', 'b c a'), ['>', '>'])
  t.same(
    hunks('a x b x c', 'a b c x').filter(own => own !== '>'),
    ['x >'],
  )
  t.same(hunks('a x x b', 'a x b'), ['x >'])
  t.same(hunks('a x b', 'a x x b'), ['> x'])
})

test('a new comment belongs to the place where it stands', async t => {
  t.same(hunks('a x b y c', 'a #1 b #2 z c #3'), ['x > #1', 'y > z #2'])
  t.same(hunks('a #1 x b', 'a #1 b'), ['x >'], 'a comment that was there')
})
