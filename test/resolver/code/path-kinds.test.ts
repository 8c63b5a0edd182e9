import { test } from 'tap'
import { kindOfPath, type PathKind } from '../../../src/resolver/code/path-kinds.ts'

const PATHS: Record<keyof PathKind, readonly string[]> = {
  isTest: ['tests/cart.py', 'src/cart_test.go', 'web/cart.spec.ts', 'src/androidTest/Cart.kt', 'conftest.py'],
  isVendored: ['vendor/acme/log.go', 'third_party/json/json.h', 'web/node_modules/left/index.js'],
  isAside: ['docs/cart.py', 'README.md', 'examples/run.py', 'CHANGELOG'],
  isConfig: ['package.json', 'deploy/values.yaml', 'web/main.css'],
  isDerived: ['api/cart.pb.go', 'types/cart.d.ts', 'generated/cart.py', 'src/Form.Designer.cs'],
}

test('the name of a file tells what it is', async t => {
  for (const [kind, paths] of Object.entries(PATHS) as Array<[keyof PathKind, readonly string[]]>) {
    for (const path of paths) t.equal(kindOfPath(path)[kind], true, `${path} ${kind}`)
  }
})

test('ordinary sources are none of these', async t => {
  for (const path of ['src/cart.py', 'lib/shop/latest.rb', 'cmd/contest/main.go', 'app/testing.ts']) {
    t.same(Object.values(kindOfPath(path)), [false, false, false, false, false], path)
  }
})
