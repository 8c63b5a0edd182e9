import { test } from 'tap'
import { callsInWords } from '../../../../src/pipelines/resolve/investigate/calls-in-words.ts'
import { checkCitations } from '../../../../src/pipelines/resolve/investigate/citations.ts'
import { citedIn, proseAndCode } from '../../../../src/pipelines/resolve/investigate/cited.ts'
import { jsonValuesIn } from '../../../../src/llm/json/json-text.ts'

const NO_CODE = {
  readFile: async () => null,
  paths: new Set<string>(),
  shown: [],
  hasName: async () => false,
  commit: 'c'.repeat(40),
}

for (const [text, wanted] of [
  ['see src/a.py:12.', ['line src/a.py 12']],
  ['see `src/a.py:12-15`, and b/c.rs#L7', ['line src/a.py 12', 'line b/c.rs 7']],
  ['`src/a.py`, line 3; (lib/b.go, lines 4-9)', ['line src/a.py 3', 'line lib/b.go 4']],
  ['on lines 5-6 of `x/y.kt`', ['line x/y.kt 5']],
  ['./a.py and /srv/app/b.py and utils.py', ['file a.py null', 'file srv/app/b.py null', 'file utils.py null']],
  ['and/or, 1.5/2.0, e.g. i.e. Node.js-ish foo.bar v1.2', []],
  ['https://example.com/a/b.py:3 http://x.y/z.js', []],
  ['`Cart.summary()` and `cart::total` and `if` and `a b` and `x`', ['name Cart.summary', 'name cart::total']],
  ['`save!` `Foo#bar` `@decorated` `$scope`', ['name save', 'name Foo#bar', 'name @decorated', 'name $scope']],
  ['`None` `self` `null`', []],
  ['`src\\shop\\prices.cs:9` and src\\a.py', ['line src/shop/prices.cs 9', 'file src/a.py null']],
  ['`src/a.py:L12-L14`, b/c.py (L7) and d/e.py, L8', ['line src/a.py 12', 'line b/c.py 7', 'line d/e.py 8']],
  ['`tests/a.py::test_mean` and tests/b.py::test_x at line 4', ['file tests/a.py null', 'line tests/b.py 4']],
  ['src/größe.py:3 and `код/имя.py`', ['line src/größe.py 3', 'file код/имя.py null']],
  ['`app/[id]/page.tsx:12` and src/(group)/+page.ts', []],
] as const) {
  test(`cited in ${JSON.stringify(text)}`, async t => {
    const found = citedIn(text).map(({ kind, path, line, text: own }) =>
      kind === 'name' ? `name ${own}` : `${kind} ${path} ${line}`,
    )
    t.same(found, [...wanted])
  })
}

test('prose and code keep the offsets of the text', async t => {
  const text = 'a `x.py`\n~~~\n```\nb/c.py\n~~~\nd/e.py\n```js\nf/g.js\n'
  const { prose, code } = proseAndCode(text)
  t.equal(prose.length, text.length)
  t.equal(code.length, text.length)
  t.same(
    citedIn(prose).map(({ from, to }) => text.slice(from, to)),
    ['x.py', 'd/e.py'],
  )
  t.match(code, /b\/c\.py[^]*f\/g\.js/)
})

test('an answer of a mean model is looked at in linear time, and few of its citations are looked up', async t => {
  let reads = 0
  const code = {
    ...NO_CODE,
    async readFile() {
      reads++
      return null
    },
  }
  for (const text of [
    'a/'.repeat(200_000),
    '`'.repeat(300_000),
    '.'.repeat(300_000),
    ':1'.repeat(200_000),
    '`a.'.repeat(100_000),
  ]) {
    t.type((await checkCitations(text, code)).text, 'string')
  }
  const many = Array.from({ length: 500 }, (_, i) => `a/f${i}.py`).join(' ')
  const { citations } = await checkCitations(many, code)
  t.equal(citations.length, 60)
  t.ok(reads <= 60)
})

test('a mark stands behind the citation, and a file that the trace names is none that is missing', async t => {
  const { text, citations } = await checkCitations(
    '## Cause\n`a/b.py:3` calls `made_up(1)`; lib/python3/x.py is fine.',
    {
      ...NO_CODE,
      readFile: async path => (path === 'a/b.py' ? 'one\ntwo\n' : null),
      shown: ['File "/usr/lib/python3/x.py", line 3'],
    },
  )
  t.equal(
    text,
    '## Cause\n`a/b.py:3` [not found: the file has 2 lines at cccccccccccc] calls ' +
      '`made_up(1)` [not found: the code of the project has no made_up at cccccccccccc]; lib/python3/x.py is fine.',
  )
  t.match(citations[2], { exists: true, why: /the trace/ })
})

test('a mark leaves the Markdown around a citation whole', async t => {
  const { text } = await checkCitations('See [the **code**](src/gone.py:3), (src/lost.py) and [x](y).', NO_CODE)
  t.match(text, /\[the \*\*code\*\*\]\(src\/gone\.py:3\) \[not found: [^\]]+\], \(src\/lost\.py \[not found: /)
})

test('a path of Windows is looked up as the repository has it', async t => {
  const code = { ...NO_CODE, readFile: async (path: string) => (path === 'src/a.cs' ? 'x\n' : null) }
  const shown = [String.raw`at F() in lib\b.cs:line 3`]
  const text = String.raw`src\a.cs:1, src\a.cs:2, lib\b.cs:3 and src\c.cs:4`
  const { citations } = await checkCitations(text, { ...code, shown })
  t.same(
    citations.map(({ exists }) => exists),
    [true, false, true, false],
  )
})

test('a range of lines is there only where its last line is', async t => {
  const code = { ...NO_CODE, readFile: async () => 'x\n'.repeat(20) }
  for (const text of ['a/b.py:3-21', 'a/b.py#L3-L21', '`a/b.py`, lines 3-21', 'lines 3 to 21 of `a/b.py`']) {
    const [wrong] = (await checkCitations(text, code)).citations
    t.match(wrong, { line: 3, exists: false, why: /^the file has 20 lines/ }, text)
    const [right] = (await checkCitations(text.replace('21', '20'), code)).citations
    t.match(right, { line: 3, exists: true }, text)
  }
  t.match((await checkCitations('a/b.py:3:99', code)).citations, [{ exists: true }], 'a column is no line')
})

test('a path that ends several shown files is not told apart, and that is no fault', async t => {
  const { citations } = await checkCitations('see cart.py:900', {
    ...NO_CODE,
    paths: new Set(['a/cart.py', 'b/cart.py']),
  })
  t.match(citations, [{ exists: true }])
})

for (const [text, names] of [
  ['{"calls": [{"name": "read_code", "arguments": {"path": "a"}}, {"name": "x"}]}', ['read_code', 'x']],
  ['{"tool": "search_code", "parameters": {"query": "a"}}', ['search_code']],
  ['[{"type": "function", "function": {"name": "search_code", "arguments": "{}"}}]', ['search_code']],
  ['Let me look.\n```json\n{"name": "find_definition", "args": {"name": "a"}}\n```', ['find_definition']],
  ['{"name": "shop", "version": "1.0.0"}', []],
  ['## Cause\n{"calls": [{"name": "read_code"}]}', []],
  ['{"calls": []}', []],
  ['no JSON', []],
] as const) {
  test(`asked for in ${JSON.stringify(text)}`, async t => {
    t.same(
      callsInWords(text, jsonValuesIn).map(({ name }) => name),
      [...names],
    )
  })
}
