import fc from 'fast-check'
import { test } from 'tap'
import { definitionLines, hasWord, isInside, isInsideDefinition } from '../../../src/resolver/code/definitions.ts'
import { sourceLines, type SourceLines } from '../../../src/resolver/code/source-lines.ts'
import { runs } from '../../helpers/property-runs.ts'

test('a line is inside of a definition only where the header that bears the name defines it', async t => {
  const lines = sourceLines('def total(self):\n    if total:\n        return 1\nif total:\n    return 2')
  t.same(
    [1, 3, 5].map(line => isInside(lines, line, 'total')),
    [true, true, true],
  )
  t.same(
    [1, 3, 5].map(line => isInsideDefinition(lines, line, 'total')),
    [true, false, false],
    'the nearest header with the name counts',
  )
  t.equal(isInsideDefinition(lines, 9, 'total'), false)
})

test('definitions of many languages are told from calls', async t => {
  for (const line of [
    'def total(self):',
    '  def self.total',
    'function total () {',
    'export async function total (cart) {',
    'const total = (cart) => cart.sum',
    '  total: function (cart) {',
    '  async total (cart) {',
    'func (c *Cart) total() int {',
    'pub fn total(&self) -> u32 {',
    'int total(struct cart *c)',
    'static const char *total(void) {',
    'public static List<Line> total(Cart cart) {',
    'void Cart::total(int x) {',
    'fun total(): Int {',
    'sub total {',
    'class total',
    'exports.total = function () {',
    '  private function total(array $x)',
    'defp total(cart) do',
  ]) {
    t.same(definitionLines(sourceLines(line), 'total'), [1], line)
  }
  for (const line of [
    'total(cart)',
    'return total(cart)',
    'x = total(cart);',
    'if (total(cart)) {',
    'cart.total(1)',
    'subtotal(cart) {',
    '// the total',
    'await total(x)',
    'new total(x)',
    'import total from "x"',
    'total = 3',
    'foo(total, 1)',
  ]) {
    t.same(definitionLines(sourceLines(line), 'total'), [], line)
  }
})

test('what a line is inside of is the same for the first question about a file as for the thousandth', t => {
  const line = fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom('a', 'b = c', 'def d():', '', '# a', 'b:', '\td {', '}'))
    .map(([indent, code]) => '  '.repeat(indent) + code)
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), all => {
      const text = `${all.join('\n')}\n`
      const lines = sourceLines(text)
      const answers = (asked: () => SourceLines) =>
        all.flatMap((_, at) => ['a', 'b', 'd'].map(name => isInside(asked(), at + 1, name)))
      const first = answers(() => sourceLines(text))
      for (let i = 0; i < 5; i++) {
        t.same(
          answers(() => lines),
          first,
        )
      }
    }),
    { numRuns: runs(60) },
  )
  t.end()
})

test('a line is inside what the headers above it with less indentation name', async t => {
  const c = sourceLines(
    [
      'static int',
      'total(struct cart *c,',
      '      int n)',
      '{',
      '  if (n) {',
      '#ifdef X',
      '    go();',
      '#endif',
      '  }',
      '  return 1;',
      '}',
      '',
      'int other(void)',
      '{',
      '  return 2;',
      '}',
    ].join('\n'),
  )
  t.ok(isInside(c, 7, 'total'))
  t.ok(isInside(c, 10, 'total'))
  t.notOk(isInside(c, 15, 'total'))
  t.ok(isInside(c, 15, 'other'))
  const split = sourceLines('def a():\n    pass\n\ndef b(\n    x,\n):\n    return x')
  t.notOk(isInside(split, 7, 'a'))
  t.ok(isInside(split, 7, 'b'))
  t.notOk(isInside(c, 99, 'total'))
})

test('a word is found as a word, literally', async t => {
  t.equal(hasWord('def total(x):', 'total'), true)
  t.equal(hasWord('subtotal(totals)', 'total'), false)
  t.equal(hasWord('subtotal total', 'total'), true)
  t.equal(hasWord('a.c', 'a+c'), false)
  t.equal(hasWord('a', ''), false)
})
