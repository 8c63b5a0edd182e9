import { test } from 'tap'
import { namedFiles } from '../../../../src/pipelines/steps/base/named-files.ts'

const PATHS = [
  'src/cart.ts',
  'src/my file.ts',
  'lib/cart.ts',
  'docs/README.md',
  'src/index.ts',
  'lib/index.ts',
  'Makefile',
]

test('files are named by their paths, the ends of these, or a name that only one has', t => {
  t.same(namedFiles('Mend ./src/cart.ts, then README.md.', PATHS), ['src/cart.ts', 'docs/README.md'])
  t.same(namedFiles('index.ts is wrong', PATHS), [], 'two have that name')
  t.same(namedFiles('the cart, the Makefile', PATHS), [], 'no word without a dot or a slash')
  t.same(namedFiles('', PATHS), [])
  t.end()
})

test('a name with blanks is named in quotes', t => {
  for (const quotes of ['""', "''", '``', '«»', '“”']) {
    const [open = '', close = ''] = Array.from(quotes)
    t.same(namedFiles(`see ${open}src/my file.ts${close}!`, PATHS), ['src/my file.ts'], quotes)
  }
  t.same(namedFiles('see my file.ts', PATHS), [])
  t.end()
})

test('many words and many files of one name are read in time', t => {
  const same = Array.from({ length: 20_000 }, (_, at) => `p${at}/index.ts`)
  t.same(namedFiles(`${'" '.repeat(50_000)} p7/index.ts`, same), ['p7/index.ts'])
  t.end()
})
