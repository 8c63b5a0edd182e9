import { test } from 'tap'
import { createImportResolver } from '../../../src/vecstore/catalogue/import-resolver.ts'

test('an import means files among the paths alone', t => {
  const resolve = createImportResolver(['src/cart.ts', 'src/cart.test.ts', 'lib/index.ts', 'src/a/price.ts'])
  const means = (target: string, importer = 'src/shop.ts'): string[] => resolve({ target, names: [] }, importer)
  t.same(means('./cart.js'), ['src/cart.ts'])
  t.same(means('../lib'), ['lib/index.ts'])
  t.same(means('./price'), [])
  t.same(means('./price', 'src/a/b.ts'), ['src/a/price.ts'])
  t.same(means('../../../../etc/passwd'), [])
  t.end()
})

test('paths are looked at once, however many imports there are', t => {
  let read = 0
  function* paths() {
    for (let at = 0; at < 100; at++, read++) yield `src/f${at}.ts`
  }
  const resolve = createImportResolver(paths())
  for (let at = 0; at < 100; at++) t.same(resolve({ target: `./f${at}`, names: [] }, 'src/x.ts'), [`src/f${at}.ts`])
  t.equal(read, 100)
  t.end()
})
