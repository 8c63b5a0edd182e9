import { test } from 'tap'
import {
  afterBlock,
  afterDoubled,
  afterHereDocument,
  afterInterpolated,
  afterLongQuoted,
  afterNestedBlock,
  afterQuoted,
  afterQuotedName,
  DOLLAR_BRACES,
  lineEnd,
} from '../../../src/outline/lexis/literals.ts'

test('a line ends before its line break, the last one with the text', async t => {
  t.equal(lineEnd('ab\ncd', 0), 2)
  t.equal(lineEnd('ab\ncd', 2), 2)
  t.equal(lineEnd('ab\ncd', 3), 5)
})

test('a block ends behind its closing mark, which is not its opening one', async t => {
  t.equal(afterBlock('/* a */b', 0, '/*', '*/'), 7)
  t.equal(afterBlock('/*/ a */b', 0, '/*', '*/'), 8)
  t.equal(afterBlock('/* a', 0, '/*', '*/'), 4)
})

test('a here-document ends behind the line that holds its mark alone', async t => {
  t.equal(afterHereDocument('a EOS\n  EOS \nb', 0, 'EOS'), 13)
  t.equal(afterHereDocument('a\nEOS', 0, 'EOS'), 5)
  t.equal(afterHereDocument('a\nEOSb', 2, 'EOS'), 6)
})

test('a nested block ends with the outermost of its closing marks', async t => {
  t.equal(afterNestedBlock('/* /* */ */b', 0, '/*', '*/'), 11)
  t.equal(afterNestedBlock('/* */ */', 0, '/*', '*/'), 5)
  t.equal(afterNestedBlock('/* /* */', 0, '/*', '*/'), 8)
})

test('a string ends at its quote, not at an escaped one, and at the latest with its line', async t => {
  t.equal(afterQuoted('"a"b', 0), 3)
  t.equal(afterQuoted('"\\"a"b', 0), 5)
  t.equal(afterQuoted('"a\nb"', 0), 2)
  t.equal(afterQuoted('"a\\\nb"c', 0), 6, 'a backslash carries the line on')
  t.equal(afterQuoted('"a', 0), 2)
})

test('a quoted name knows no escapes', async t => {
  t.equal(afterQuotedName('`a\\`b', 0), 4)
  t.equal(afterQuotedName('`a\nb`', 0), 2)
  t.equal(afterQuotedName('`a', 0), 2)
})

test('a long string spans lines and ends at all of its quotes', async t => {
  t.equal(afterLongQuoted('"""a\n"b""" c', 0, '"""'), 10)
  t.equal(afterLongQuoted('"a\\"b\n"c', 0, '"'), 7)
  t.equal(afterLongQuoted('"a', 0, '"'), 2)
  t.equal(afterLongQuoted('@"a"b', 0, '"', 2), 4, 'more than the quote opens it')
})

test('a doubled quote stands for one', async t => {
  t.equal(afterDoubled("'it''s'b", 0, "'"), 7)
  t.equal(afterDoubled("''b", 0, "'"), 2)
  t.equal(afterDoubled("'it''", 0, "'"), 5)
})

/** Opens an expression in a string. */
const OPEN = `"\${`
const oneLine = { long: false, escapes: true }

test('the expressions of a string hold strings of their own', async t => {
  const text = `"a\${f("}")}b"c`
  t.equal(afterInterpolated(text, 0, '"', DOLLAR_BRACES, oneLine), text.length - 1)
  const nested = `"\${"\${"}"}"}"c`
  t.equal(afterInterpolated(nested, 0, '"', DOLLAR_BRACES, oneLine), nested.length - 1)
  t.equal(afterInterpolated(`"\${{}}"c`, 0, '"', DOLLAR_BRACES, oneLine), 7)
})

test('an escaped quote ends no string unless it knows no escapes', async t => {
  t.equal(afterInterpolated('"\\"a"b', 0, '"', DOLLAR_BRACES, oneLine), 5)
  t.equal(afterInterpolated('"\\"a"b', 0, '"', DOLLAR_BRACES, { long: false, escapes: false }), 3)
})

test('only a long string goes over the end of a line, in its expressions too', async t => {
  t.equal(afterInterpolated('"a\nb"', 0, '"', DOLLAR_BRACES, oneLine), 2)
  t.equal(afterInterpolated(`"a\${\nb}"`, 0, '"', DOLLAR_BRACES, oneLine), 4)
  const long = `"""a\${\nb\n}"\n"""c`
  t.equal(afterInterpolated(long, 0, '"""', DOLLAR_BRACES, { long: true, escapes: false }), long.length - 1)
  t.equal(afterInterpolated(`"\${a`, 0, '"', DOLLAR_BRACES, oneLine), 4)
})

test('where a single brace opens an expression two of them are a brace', async t => {
  const form = { ...DOLLAR_BRACES, open: '{' }
  t.equal(afterInterpolated('"{{"b', 0, '"', form, oneLine), 4)
  t.equal(afterInterpolated('"{"}"}"b', 0, '"', form, oneLine), 7)
})

test('beyond a depth of forty what opens an expression is text', async t => {
  const nested = (depth: number): string => `${OPEN.repeat(depth)}"}"${'}"'.repeat(depth)}`
  t.equal(afterInterpolated(nested(40), 0, '"', DOLLAR_BRACES, oneLine), nested(40).length)
  t.ok(afterInterpolated(nested(41), 0, '"', DOLLAR_BRACES, oneLine) < nested(41).length)
})
