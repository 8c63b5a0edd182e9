import { test } from 'tap'
import { definitionLines } from '../../../src/resolver/code/definitions.ts'
import { sourceLines, type SourceLines } from '../../../src/resolver/code/source-lines.ts'

test(
  'a method whose parameters stand on lines of their own is a definition, a call that is wrapped so is ' + 'none',
  async t => {
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
        const text =
          `${head}\n${open}    cart: Cart, // it's the (only\n    { rate = ")", isNet = 1 < 2 }: Options = {},\n` +
          `    @Inject() done?: (x: Cart) => void,\n${end}\n    return 1\n  }`
        t.same(definitionLines(sourceLines(text), 'total'), [at], `${head} … ${end}`)
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
        t.same(definitionLines(sourceLines(text), 'total'), [], `${head} … ${end}`)
      }
    }
    t.same(
      definitionLines(sourceLines(`  total(\n${'    x,\n'.repeat(40)}  ) {`), 'total'),
      [],
      'a head that ends nowhere near',
    )
  },
)

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
    t.same(definitionLines(sourceLines(line), /total|Cart|constructor/.exec(line)?.[0] ?? ''), [1], line)
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
    t.same(definitionLines(sourceLines(line), 'total'), [], line)
  }
})

/** Lines that count how often they are read. */
function countedLines(text: string): { lines: SourceLines; reads: () => number } {
  const lines = sourceLines(text)
  let count = 0
  return {
    lines: {
      ...lines,
      line(index) {
        count++
        return lines.line(index)
      },
      slice(from, to) {
        const found = lines.slice(from, to)
        count += found.length
        return found
      },
    },
    reads: () => count,
  }
}

test('looking for the end of parameters costs a bounded number of lines for each name', async t => {
  for (const row of [
    'a(' + '<('.repeat(100),
    'a(' + 'b, '.repeat(100),
    'a(' + '"b", '.repeat(60),
    'a(' + "'".repeat(300),
    'a(): ' + 'x | '.repeat(80),
  ]) {
    const { lines, reads } = countedLines(`${row}\n`.repeat(1_000))
    t.same(definitionLines(lines, 'a'), [])
    t.ok(reads() < 32 * lines.length, `${reads()} of ${row.slice(0, 20)}`)
  }
})
