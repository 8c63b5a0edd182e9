import fc from 'fast-check'
import { test } from 'tap'
import { definitionLines, hasWord, isInside } from '../../../src/resolver/code/definitions.ts'
import { runs } from '../../helpers/property-runs.ts'
import { processorMs } from '../../helpers/processor-time.ts'

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
    t.same(definitionLines([line], 'total'), [1], line)
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
    t.same(definitionLines([line], 'total'), [], line)
  }
})

test('a method whose parameters stand on lines of their own is a definition, a call that is wrapped so is none', async t => {
  const heads = [
    '  async total(',
    '  protected async total(',
    '  public static override total(',
    '  total(',
    '  get total(',
    '  private #total(',
    '  @Get("/x") async total(',
    '  async *total(',
    '  total<',
    '  constructor(x) {}\n  total(',
  ]
  for (const head of heads) {
    const open = head.endsWith('<') ? '    T extends Array<string>,\n  >(\n' : ''
    const at = head.split('\n').length
    for (const end of [
      '  ) {',
      '  ): number {',
      '  ): Promise<{ a: string }> {',
      '  ): { a: string } {',
      '  ): Promise<\n    Map<string, number>\n  > {',
      '  ): (x: number) => void {',
      '  ):\n    | string\n    | number {',
      '  ) { return 1 }',
      '  )\n  {',
    ]) {
      const text = `${head}\n${open}    cart: Cart, // it's the (only\n    { rate = ")", isNet = 1 < 2 }: Options = {},\n    @Inject() done?: (x: Cart) => void,\n${end}\n    return 1\n  }`
      t.same(definitionLines(text.split('\n'), 'total'), [at], `${head} … ${end}`)
    }
    for (const end of [
      ')',
      ');',
      '): number;',
      '): number',
      '): number\n  net(): number {',
      ').then(x => {',
      ', () => {',
      ') || {',
    ]) {
      const text = `${head}\n${open}    cart,\n  ${end}\n`
      t.same(definitionLines(text.split('\n'), 'total'), [], `${head} … ${end}`)
    }
  }
  t.same(
    definitionLines(['  total(', ...Array.from({ length: 40 }, () => '    x,'), '  ) {'], 'total'),
    [],
    'a head that ends nowhere near',
  )
})

test('a method on one line is a definition, a block passed to a call is none', async t => {
  for (const line of [
    'get total() { return 1 }',
    '  #total() {}',
    '  total(cart) { return cart.sum }',
    '  total(): number { return 1 }',
    '  static async total({ a, b }: Options = {}): Promise<void> {}',
    '  Cart(int x) throws IOException {',
    '  Cart(int x) : a(x), b{1} {',
    '  constructor(private readonly a: A) {}',
    '  async total({',
    'public total(name: String) throws -> [String] {',
    'total(x: Int) -> Int {',
    'total() {}',
    'total(a) { // sum',
    'total(cart) {\n    cart->sum();',
  ]) {
    t.same(definitionLines(line.split('\n'), /total|Cart|constructor/.exec(line)?.[0] ?? ''), [1], line)
  }
  for (const line of [
    'total(cart) { |line| line }',
    'total(cart) { it + 1 }',
    'total(cart) { line -> line }',
    'total(cart) { (a, b) in a }',
    'total(cart, () => {',
    'total(async function () {',
    '  total(): number;',
    '  abstract total(cart: Cart): { sum: number }',
    'total<cart',
    "total('a)', (b)",
    'total({',
    'total(:agent) { Agent.new }',
    'total(line > 0) { "must be greater" }',
    'total(x)->{sum}',
    'total(cart) {\n line ->\n  line',
  ]) {
    t.same(definitionLines(line.split('\n'), 'total'), [], line)
  }
})

test('looking for the end of parameters costs a bounded number of lines for each name', async t => {
  for (const row of [
    'a(' + '<('.repeat(100),
    'a(' + 'b, '.repeat(100),
    'a(' + '"b", '.repeat(60),
    'a(' + "'".repeat(300),
    'a(): ' + 'x | '.repeat(80),
  ]) {
    const lines = Array.from({ length: 5_000 }, () => row)
    const started = processorMs()
    t.same(definitionLines(lines, 'a'), [])
    t.ok(processorMs() - started < 2_000, row.slice(0, 20))
  }
})

test('what a line is inside of is the same for the first question about a file as for the thousandth', t => {
  const line = fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom('a', 'b = c', 'def d():', '', '# a', 'b:', '\td {', '}'))
    .map(([indent, code]) => '  '.repeat(indent) + code)
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), lines => {
      const answers = (asked: () => readonly string[]) =>
        lines.flatMap((_, at) => ['a', 'b', 'd'].map(name => isInside(asked(), at + 1, name)))
      const first = answers(() => [...lines])
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
  const c = [
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
  ]
  t.ok(isInside(c, 7, 'total'))
  t.ok(isInside(c, 10, 'total'))
  t.notOk(isInside(c, 15, 'total'))
  t.ok(isInside(c, 15, 'other'))
  t.notOk(isInside(['def a():', '    pass', '', 'def b(', '    x,', '):', '    return x'], 7, 'a'))
  t.ok(isInside(['def a():', '    pass', '', 'def b(', '    x,', '):', '    return x'], 7, 'b'))
  t.notOk(isInside(c, 99, 'total'))
})

test('a word is found as a word, literally', async t => {
  t.equal(hasWord('def total(x):', 'total'), true)
  t.equal(hasWord('subtotal(totals)', 'total'), false)
  t.equal(hasWord('subtotal total', 'total'), true)
  t.equal(hasWord('a.c', 'a+c'), false)
  t.equal(hasWord('a', ''), false)
})
