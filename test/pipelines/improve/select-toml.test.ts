import { test } from 'tap'
import { lineOfPath, readTomlSelection } from '../../../src/pipelines/improve/select-toml.ts'

test('the file that gpt-engineer writes is read: comments are files that were not selected', async t => {
  const text =
    "# Remove '#' to select a file or turn off linting.\n\n" +
    '# Linting with BLACK (Python) enhances code suggestions from LLMs.\n[linting]\n"linting" = "off"\n\n' +
    '[files]\n# "a/b.py" = "selected"\n"main.py" = "selected"\n"src/shop/cart.py" = "selected"\n'
  t.same(readTomlSelection(text), { paths: ['main.py', 'src/shop/cart.py'], linting: 'off' })
})

test('folders may be tables of their own', async t => {
  t.same(
    readTomlSelection(
      '[files]\n"a.py" = "selected"\n[files.src]\n"b.py" = "selected"\n[files.src.shop]\n' +
        '"c.py" = "selected"\n[files."my folder/x"]\n"d.py" = "selected"\n',
    ),
    { paths: ['a.py', 'src/b.py', 'src/shop/c.py', 'my folder/x/d.py'], linting: null },
  )
  t.same(readTomlSelection('files = { "a.py" = "selected", lib = { "b.py" = "selected" } }'), {
    paths: ['a.py', 'lib/b.py'],
    linting: null,
  })
  t.same(readTomlSelection('[linting]\nlinting = "on"'), { paths: [], linting: 'on' })
})

test('what is wrong is told with its line', async t => {
  const wrong: Array<[text: string, line: number]> = [
    ['[files]\n"a.py" = = "selected"', 2],
    ['[files]\n"a.py" = "selected"\n"a.py" = "selected"', 3],
    ['[files]\n"a.py" = "selected"\n\n[colours]\nred = 1', 4],
    ['linting = "off"', 1],
    ['[linting]\n"linting" = "off"\n"speed" = 3', 3],
    ['[linting]\n# linting = "on"\nlinting = false', 3],
    ['[files]\n# "a.py" = 3\n"b.py" = "selected"\n"a.py" = "unselected"', 4],
    ['[files]\n"a.py" = true', 2],
    ['[files.src]\n"x.py" = "selected"\n"y.py" = ["selected"]', 3],
    ['[files]\n"../a.py" = "selected"', 2],
    ['[files]\n"/etc/passwd" = "selected"', 2],
    ['files = 3', 1],
    ['[[files]]\n"a.py" = "selected"', 1],
    ['[files', 1],
  ]
  for (const [text, line] of wrong) {
    t.throws(
      () => readTomlSelection(text),
      { code: 'VALIDATION_FAILED', message: new RegExp(`^select_toml, line ${line}: `) },
      text,
    )
  }
})

test('a file that is not there has a line, too', async t => {
  t.equal(lineOfPath('[files]\n"a.py" = "selected"\n"src/b.py" = "selected"', 'src/b.py'), 3)
  t.equal(lineOfPath('[files.src]\n"a.py" = "selected"\n"b.py" = "selected"', 'src/b.py'), 3)
})

test("names of JavaScript's own are names", async t => {
  t.same(readTomlSelection('[files]\n"__proto__" = "selected"\n"constructor" = "selected"').paths.sort(), [
    '__proto__',
    'constructor',
  ])
})
