import { test } from 'tap'
import { languageOfFile } from '../../src/stack-trace/source-endings.ts'

test('the ending of a name, in any case, gives the language of a file', async t => {
  const languages = new Map([
    ['src/cart.ts', 'typescript'],
    ['C:\\shop\\Cart.CS', 'csharp'],
    ['/srv/cart.test.mjs', 'javascript'],
    ['cart.h', 'c'],
    ['cart.hpp', 'cpp'],
    ['Shop.kt', 'kotlin'],
    ['main.tf', 'hcl'],
    ['t/pay.t', 'perl'],
  ])
  for (const [file, language] of languages) t.equal(languageOfFile(file), language, file)
})

test('files of tools are known by their whole name', async t => {
  t.equal(languageOfFile('/srv/shop/Makefile'), 'make')
  t.equal(languageOfFile('docker\\Dockerfile'), 'docker')
  t.equal(languageOfFile('CMakeLists.txt'), 'cmake')
  t.equal(languageOfFile('makefile'), null)
})

test('a file that is no source file has no language', async t => {
  const others = ['notes.txt', 'shop.log', 'shop', '', 'a.ts/b', 'lib.so.6']
  t.same(
    others.filter(file => languageOfFile(file) !== null),
    [],
  )
})
