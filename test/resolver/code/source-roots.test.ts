import { test } from 'tap'
import { isSourceRoot, isVendored, isWorkspaceRoot, likelihoodOf } from '../../../src/resolver/code/source-roots.ts'

test('imports start from the top, a source folder, or a package of a monorepo', async t => {
  for (const folder of ['', 'src/', 'lib/', 'packages/kit/', 'packages/kit/src/', 'src/main/java/']) {
    t.equal(isSourceRoot(folder), true, folder)
  }
  for (const folder of ['src/shop/', 'tools/', 'packages/']) t.equal(isSourceRoot(folder), false, folder)
})

test('folders of packages are told from packages', async t => {
  t.equal(isWorkspaceRoot('packages/'), true)
  t.equal(isWorkspaceRoot('packages/kit/'), false)
})

test('folders of foreign code are known by name', async t => {
  for (const folder of ['vendor/', 'web/node_modules/left/', 'third-party/']) t.equal(isVendored(folder), true, folder)
  t.equal(isVendored('src/vendors/'), false)
})

test('the top is likelier than a source folder, that than any other, tests and copies last', async t => {
  const folders = ['', 'src/', 'src/shop/', 'examples/shop/', 'vendor/acme/', 'vendor/acme/test/']
  const values = folders.map(likelihoodOf)
  t.same(
    values,
    [...values].sort((a, b) => b - a),
  )
  t.equal(new Set(values).size, folders.length)
})
