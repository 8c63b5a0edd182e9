import { test } from 'tap'
import {
  familyOf,
  formsOf,
  isFolderFileName,
  isImportable,
  isRootFolder,
  stemOf,
  withoutFolderFile,
} from '../../../src/vecstore/catalogue/module-names.ts'

test('an ending tells the languages that import a file', async t => {
  t.equal(familyOf('a/b.PY'), 'python')
  t.equal(familyOf('a/b.kt'), 'jvm')
  t.equal(familyOf('a/b.unknown'), null)
  t.equal(familyOf('a.b/c'), null, 'the dot of a folder is no ending')
})

test('files are imported within a family, assets by their whole name only', async t => {
  t.ok(isImportable('a/b.py', 'python', 'a.b'))
  t.notOk(isImportable('a/b.py', 'jvm', 'a.b'))
  t.ok(isImportable('a/b.inc', 'php', 'b.inc'), 'C and PHP share an ending')
  t.ok(isImportable('a/b.unknown', null, 'b'))
  t.ok(isImportable('a/style.css', 'javascript', './style.css'))
  t.notOk(isImportable('a/style.css', 'javascript', './style'))
})

test('the stem of a file is its name without the ending, of declarations without both', async t => {
  t.equal(stemOf('a/cart.test.ts'), 'cart.test')
  t.equal(stemOf('a/cart.d.ts'), 'cart')
  t.equal(stemOf('.profile'), '.profile')
})

test('a file is called by its own name, by its folder, or by the folder of the package', async t => {
  t.same(formsOf('shop/cart.py'), { own: [['shop', 'cart']], folder: null, isFolderFile: false })
  t.same(formsOf('shop/__init__.py'), { own: [['shop']], folder: null, isFolderFile: true })
  t.same(formsOf('packages/cart/src/index.ts').own, [
    ['packages', 'cart', 'src'],
    ['packages', 'cart'],
  ])
  t.same(formsOf('com/acme/Cart.java'), {
    own: [['com', 'acme', 'Cart']],
    folder: ['com', 'acme'],
    isFolderFile: false,
  })
  t.same(formsOf('Acme.Shop/Cart.cs').folder, ['Acme', 'Shop'])
  t.same(formsOf('include/cart.h').own, [['include', 'cart.h']])
})

test('the file that stands for its folder is left out, but not where nothing else is named', async t => {
  t.same(withoutFolderFile(['cart', 'index'], 'javascript'), ['cart'])
  t.same(withoutFolderFile(['index'], 'javascript'), ['index'])
  t.same(withoutFolderFile(['cart', 'index'], 'python'), ['cart', 'index'])
  t.ok(isFolderFileName('mod'))
  t.notOk(isFolderFileName('cart'))
})

test('names of modules are counted from the top, from folders of sources and from those of app/', async t => {
  for (const folder of [[], ['a', 'SRC'], ['app', 'models']]) t.ok(isRootFolder(folder), folder.join('/'))
  t.notOk(isRootFolder(['src', 'cart']))
})
