import { test } from 'tap'
import { lexis, tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import {
  BLOCK,
  CONSTANTS,
  INSIDE,
  MEMBERS,
  readStatements,
  type StatementReader,
  VALUES,
} from '../../../src/outline/lexis/statements.ts'

const BARE = lexis({ special: '', keywords: [], reader: () => () => -1 })
const AROUND = new Map([
  [MEMBERS, 'members'],
  [BLOCK, 'block'],
  [VALUES, 'values'],
  [INSIDE, 'inside'],
  [CONSTANTS, 'constants'],
])

/** What the reader is shown: the statement so far, what ends it, and what is around it. */
function walk(text: string, braces = MEMBERS): string[] {
  const tokens = tokenizeSource(text, BARE)
  const seen: string[] = []
  const note = (start: number, at: number, around: number): void => {
    const statement = tokens.text.slice(tokens.begin(start), tokens.begin(at)).trim()
    seen.push(`${statement} ${tokens.textOf(at)} ${AROUND.get(around)}`.trim())
  }
  const reader: StatementReader = {
    open(start, at, around) {
      note(start, at, around)
      return braces
    },
    end(start, at, around) {
      note(start, at, around)
      return at + 1
    },
    colon(start, at, around) {
      note(start, at, around)
      return tokens.textOf(start) === 'public' ? at + 1 : start
    },
  }
  readStatements(tokens, reader)
  return seen
}

test('a statement begins behind a semicolon, an opening brace and a closing one', async t => {
  t.same(walk('a; b { c; } d;'), ['a ; members', 'b { members', 'c ; members', 'd ; members'])
})

test('braces are what the reader says', async t => {
  t.same(walk('a { b; { c; } }', BLOCK), ['a { members', 'b ; block', '{ block', 'c ; block'])
})

test('parentheses and brackets hold values and end no statement', async t => {
  t.same(walk('a (b; [c;]) d;'), ['b ; values', 'c ; values', 'a (b; [c;]) d ; members'])
})

test('behind braces inside of a header the statement goes on', async t => {
  t.same(walk('a { b; } c;', INSIDE), ['a { members', 'b ; inside', 'a { b; } c ; members'])
})

test('behind braces among values the statement goes on', async t => {
  t.same(walk('a ({ b; } c;);', BLOCK), ['{ values', 'b ; block', '{ b; } c ; values', 'a ({ b; } c;) ; members'])
})

test('constants end with the first semicolon; what follows are members', async t => {
  t.same(walk('a { b; c; }', CONSTANTS), ['a { members', 'b ; constants', 'c ; members'])
})

test('a colon may begin the statement anew', async t => {
  t.same(walk('public: a: b;'), ['public : members', 'a : members', 'a: b ; members'])
})

test('a brace that is never closed still ends the statement before it', async t => {
  t.same(walk('a { b; c;'), ['a { members', 'b ; members', 'c ; members'])
  t.same(walk('a ( b;'), ['a ( b ; members'])
})
