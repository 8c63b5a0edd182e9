import { test } from 'tap'
import { lexis, pushLiteral, readComment, readLineComment, tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import { afterQuoted } from '../../../src/outline/lexis/literals.ts'
import { NUMBER, SLASH, STRING, WORD, type Tokens } from '../../../src/outline/lexis/tokens.ts'

const PLAIN = {
  special: '/"',
  keywords: ['def', 'end'],
  reader: (tokens: Tokens) => (code: number, at: number) =>
    code === SLASH ? readComment(tokens, at) : pushLiteral(tokens, at, afterQuoted(tokens.text, at)),
}

const NAMES = new Map([
  [WORD, 'word'],
  [NUMBER, 'number'],
  [STRING, 'string'],
])

/** `kind text` of each token, the kind of punctuation being itself. */
function tokensOf(text: string, options: Parameters<typeof lexis>[0] = PLAIN): string[] {
  const tokens = tokenizeSource(text, lexis(options))
  return Array.from({ length: tokens.count }, (_, at) => `${NAMES.get(tokens.kind(at)) ?? ''} ${tokens.textOf(at)}`)
}

test('words hold letters of any script, digits, _ and $; numbers begin with a digit', async t => {
  t.same(tokensOf('ab_$1 é日 12.5e3 1.f .5'), [
    'word ab_$1',
    'word é日',
    'number 12.5e3',
    'number 1',
    ' .',
    'word f',
    ' .',
    'number 5',
  ])
})

test('spaces beyond ASCII and byte order marks stand between words', async t => {
  t.same(tokensOf('\ufeffa\u00a0b\u2003c\u3000d\u2028e'), ['word a', 'word b', 'word c', 'word d', 'word e'])
})

test('a language may have more letters', async t => {
  t.same(tokensOf('a-b'), ['word a', ' -', 'word b'])
  t.same(tokensOf('a-b', { ...PLAIN, letters: '-' }), ['word a-b'])
})

test('keywords have their number, in any case where the language ignores it', async t => {
  const keywords = (text: string, ignoreCase: boolean): number[] => {
    const tokens = tokenizeSource(text, lexis({ ...PLAIN, ignoreCase }))
    return Array.from({ length: tokens.count }, (_, at) => tokens.keyword(at))
  }
  t.same(keywords('def defs End end', false), [1, 0, 0, 2])
  t.same(keywords('DEF Defs End end', true), [1, 0, 2, 2])
})

test('a reader takes literals out of the text; what it declines is punctuation', async t => {
  t.same(tokensOf('a / b "c d" /* e */ // f\ng'), ['word a', ' /', 'word b', 'string "c d"', 'word g'])
})

test('comments mark the lines that hold nothing else', async t => {
  const tokens = tokenizeSource('// a\nb // c\n/* d\n e */\n', lexis(PLAIN))
  t.same(
    [1, 2, 3, 4, 5].map(line => tokens.isComment(line)),
    [true, false, true, true, false],
  )
})

test('a comment up to the end of its line may begin with any mark', async t => {
  const tokens = tokenizeSource(
    '# a\nb',
    lexis({ ...PLAIN, special: '#', reader: all => (_, at) => readLineComment(all, at) }),
  )
  t.equal(tokens.isComment(1), true)
  t.equal(tokens.textOf(0), 'b')
})

test('nested comments end where the language says', async t => {
  const tokens = tokenizeSource('', lexis(PLAIN))
  t.equal(readComment(tokens, 0), -1)
  const slashes = tokenizeSource('/* a */b', lexis({ ...PLAIN, special: '' }))
  t.equal(readComment(slashes, 0), 7)
  t.equal(
    readComment(slashes, 0, text => text.length),
    8,
  )
})

test('the words of a language are its keywords and what its reader sees', async t => {
  t.same(lexis(PLAIN).words, ['def', 'end', '/', '"'])
})
