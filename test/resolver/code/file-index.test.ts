import { test } from 'tap'
import { fileIndexOf, stemOf } from '../../../src/resolver/code/file-index.ts'

const FILES = ['src/shop/cart.py', 'cart.py', 'lib/Cart.PY', 'web/cart.test.ts'].map(path => ({
  repository: 'shop',
  path,
}))
const pathsOf = (names: ReadonlyArray<{ file: { path: string } }>): string[] => names.map(({ file }) => file.path)

test('files are found by base name and by stem in any case, shallow ones first', async t => {
  const index = fileIndexOf(FILES)
  t.same(pathsOf(index.named('CART.py')), ['cart.py', 'lib/Cart.PY', 'src/shop/cart.py'])
  t.same(pathsOf(index.stemmed('Cart')), ['cart.py', 'lib/Cart.PY', 'web/cart.test.ts', 'src/shop/cart.py'])
  t.same(pathsOf(index.named('till.py')), [])
  t.same(index.named('cart.py')[0]?.segments, ['cart.py'])
})

test('the file at a path is that very path, of the repository asked for or of the first one', async t => {
  const index = fileIndexOf([
    { repository: 'a', path: 'run.py' },
    { repository: 'b', path: 'run.py' },
  ])
  t.match(index.at('run.py'), { repository: 'a' })
  t.match(index.at('run.py', 'b'), { repository: 'b' })
  t.equal(index.at('run.py', 'c'), null)
  t.equal(index.at('Run.py'), null)
})

test('an index is built once for a list of files', async t => {
  t.equal(fileIndexOf(FILES), fileIndexOf(FILES))
  t.not(fileIndexOf(FILES), fileIndexOf([...FILES]))
})

test('a stem ends at the first dot that does not begin the name', async t => {
  t.equal(stemOf('cart.test.ts'), 'cart')
  t.equal(stemOf('.eslintrc.json'), '.eslintrc')
  t.equal(stemOf('Makefile'), 'Makefile')
})
