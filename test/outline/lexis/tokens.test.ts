import { test } from 'tap'
import { lexis, tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import * as codes from '../../../src/outline/lexis/tokens.ts'
import { ARROW, kindSet, OPERATOR, PATH, THIN_ARROW, type Tokens, WORD } from '../../../src/outline/lexis/tokens.ts'

const BARE = lexis({ special: '', keywords: ['if'], reader: () => () => -1 })
const read = (text: string): Tokens => tokenizeSource(text, BARE)
const texts = (tokens: Tokens): string[] => Array.from({ length: tokens.count }, (_, at) => tokens.textOf(at))

test('punctuation that touches makes operators', async t => {
  const tokens = read('a => b -> c::d == e += f <= g > = h')
  t.same(
    texts(tokens).filter(text => !/\w/.test(text)),
    ['=>', '->', '::', '==', '+=', '<=', '>', '='],
  )
  t.equal(tokens.kind(1), ARROW)
  t.equal(tokens.kind(3), THIN_ARROW)
  t.equal(tokens.kind(5), PATH)
  t.equal(tokens.kind(7), OPERATOR)
})

test('three characters join as far as they make one operator', async t => {
  t.same(texts(read('a === b')), ['a', '===', 'b'])
  t.same(texts(read('a >> b')), ['a', '>', '>', 'b'])
  t.same(texts(read('a ::: b')), ['a', '::', ':', 'b'])
})

test('brackets know each other; a brace closes what was left open in it, a stray bracket nothing', async t => {
  const pairs = (text: string): number[] => {
    const tokens = read(text)
    return Array.from({ length: tokens.count }, (_, at) => tokens.pair(at))
  }
  t.same(pairs('([])'), [3, 2, 1, 0])
  t.same(pairs('{(}'), [2, -1, 0])
  t.same(pairs('{)}'), [2, -1, 0])
  t.same(pairs('}('), [-1, -1])
  t.same(pairs('([)'), [2, -1, 0], 'one bracket may have been forgotten')
  t.same(pairs('{([}'), [3, -1, -1, 0])
})

test('the closing bracket is reached from the opening one alone', async t => {
  const tokens = read('(a)')
  t.same([tokens.over(0), tokens.over(1), tokens.over(2)], [2, 1, 2])
})

test('a token knows its lines', async t => {
  const tokens = read('a b\n\n  c')
  t.same(
    [0, 1, 2].map(at => tokens.line(at)),
    [1, 1, 3],
  )
  t.same(
    [0, 1, 2].map(at => tokens.startsLine(at)),
    [true, false, true],
  )
  t.same([tokens.firstOf(1), tokens.firstOf(2), tokens.firstOf(3)], [0, -1, 2])
  t.same([tokens.lineAt(0), tokens.lineAt(3), tokens.lineAt(4), tokens.lineAt(7)], [1, 1, 2, 3])
})

test('tabs go to the next multiple of eight', async t => {
  t.equal(read('\ta').indent(0), 8)
  t.equal(read('  \ta').indent(0), 8)
  t.equal(read('\t  a b').indent(1), 10, 'that of the line, whatever stands before the token')
  t.equal(read('a').indent(0), 0)
})

test('nothing but spaces stands before what begins a line', async t => {
  const tokens = read('a\n \t b')
  t.equal(tokens.beginsLine(0), true)
  t.equal(tokens.beginsLine(5), true)
  t.equal(tokens.beginsLine(1), false)
})

test('the pair around a token is the closest closed one', async t => {
  const tokens = read('a (b [c] { d)')
  const around = (text: string): number => tokens.around(texts(tokens).indexOf(text))
  t.equal(around('a'), -1)
  t.equal(around('b'), 1)
  t.equal(around('c'), 3)
  t.equal(around('d'), 1, 'a brace that is never closed is around nothing')
  t.equal(around(']'), 3)
})

test('what touches follows without a space', async t => {
  const tokens = read('a! b')
  t.same([tokens.touches(1), tokens.touches(2)], [true, false])
})

test('dropped tokens leave neither brackets nor lines behind', async t => {
  const tokens = read('a\n{ b\nc')
  tokens.truncate(1)
  t.equal(tokens.count, 1)
  t.equal(tokens.depth, 0)
  t.equal(tokens.firstOf(2), -1)
  t.equal(tokens.firstOf(3), -1)
})

test('reads past either end find nothing', async t => {
  const tokens = read('a')
  for (const at of [-1, 1_000]) {
    t.same([tokens.kind(at), tokens.keyword(at), tokens.line(at), tokens.pair(at)], [0, 0, 0, -1])
  }
})

test('there is room for any number of tokens', async t => {
  const tokens = read('(,'.repeat(500) + 'x' + ',)'.repeat(500))
  t.equal(tokens.count, 2_001)
  t.equal(tokens.pair(0), 2_000)
  t.equal(tokens.kind(1_000), WORD)
})

test('a set of kinds holds what it was made of', async t => {
  const isSmall = kindSet(1, 2)
  t.same([0, 1, 2, 3].map(isSmall), [false, true, true, false])
})

test('a sign is known by the code of its character', async t => {
  for (const [code, sign] of [
    [codes.OPEN_PAREN, '('],
    [codes.CLOSE_PAREN, ')'],
    [codes.COMMA, ','],
    [codes.DOT, '.'],
    [codes.COLON, ':'],
    [codes.SEMICOLON, ';'],
    [codes.LESS, '<'],
    [codes.EQUALS, '='],
    [codes.GREATER, '>'],
    [codes.QUESTION, '?'],
    [codes.AT, '@'],
    [codes.OPEN_BRACKET, '['],
    [codes.CLOSE_BRACKET, ']'],
    [codes.OPEN_BRACE, '{'],
    [codes.CLOSE_BRACE, '}'],
    [codes.STAR, '*'],
    [codes.AMPERSAND, '&'],
    [codes.PIPE, '|'],
    [codes.HASH, '#'],
    [codes.MINUS, '-'],
    [codes.BANG, '!'],
    [codes.TILDE, '~'],
    [codes.SLASH, '/'],
    [codes.PERCENT, '%'],
    [codes.APOSTROPHE, "'"],
    [codes.QUOTE, '"'],
    [codes.BACKTICK, '`'],
    [codes.BACKSLASH, '\\'],
    [codes.DOLLAR, '$'],
    [codes.NEWLINE, '\n'],
    [codes.TAB, '\t'],
    [codes.SPACE, ' '],
  ] as const) {
    t.equal(String.fromCharCode(code), sign)
  }
})

test('a comment marks its own lines, and not the one that begins where it ends', async t => {
  // from `#` to behind the line end that follows `!`
  const commented = lexis({
    special: '#',
    keywords: ['if'],
    reader: tokens => (_code, at) => {
      const end = tokens.text.indexOf('!', at) + 2
      tokens.comment(at, end)
      return end
    },
  })
  const tokens = tokenizeSource('a\n# b\nc !\n\nd # e !\n\n', commented)
  t.same(
    [1, 2, 3, 4, 5, 6].map(line => tokens.isComment(line)),
    [false, true, true, false, false, false],
    'beside code it is no line of its own',
  )
})
