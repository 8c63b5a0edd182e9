import { test } from 'tap'
import fc from 'fast-check'
import { fileKeys, importKeys, resolveImport } from '../../../src/vecstore/catalogue/import-paths.ts'

/** What an import means among some files, and whether each of them would be looked up by one of its keys. */
function meaning(files: string[], importer: string, target: string, names: string[] = []): string[] {
  const imported = { target, names }
  const keys = new Set(importKeys(imported))
  const found = resolveImport(imported, importer, key => files.filter(path => fileKeys(path).includes(key)))
  for (const path of found) {
    if (!fileKeys(path).some(key => keys.has(key))) throw new Error(`${path} is not found by ${[...keys].join(', ')}`)
  }
  return found.sort()
}

test('Python: modules, packages, names that are modules, and relative imports', async t => {
  const files = [
    'src/shop/__init__.py',
    'src/shop/cart.py',
    'src/shop/price/__init__.py',
    'src/shop/price/tax.py',
    'tests/cart.py',
    'src/other/tax.py',
  ]
  t.same(meaning(files, 'src/app.py', 'shop.cart', ['Cart']), ['src/shop/cart.py'])
  t.same(meaning(files, 'src/app.py', 'shop.price', ['tax']), ['src/shop/price/__init__.py', 'src/shop/price/tax.py'])
  t.same(meaning(files, 'src/app.py', 'shop'), ['src/shop/__init__.py'])
  t.same(meaning(files, 'src/shop/cart.py', '.price.tax', ['rate']), ['src/shop/price/tax.py'])
  t.same(meaning(files, 'src/shop/price/tax.py', '..cart', ['Cart']), ['src/shop/cart.py'])
  t.same(meaning(files, 'src/shop/price/tax.py', '..', ['cart']), ['src/shop/__init__.py', 'src/shop/cart.py'])
  t.same(meaning(files, 'src/app.py', 'numpy.linalg', ['norm']), [])
  t.same(meaning(files, 'src/shop/app.py', 'price'), [], 'inside of a package only relative imports count from there')
  t.same(
    meaning(['tools/run.py', 'tools/helper.py', 'a/helper.py'], 'tools/run.py', 'helper'),
    ['tools/helper.py'],
    'beside a script',
  )
  t.same(
    meaning(['docs/json.rst', 'lib/json.js', 'src/shop/json.py', 'src/shop/__init__.py'], 'tests/t.py', 'json'),
    [],
    'of the standard library',
  )
  t.same(meaning(['pkg/search/index.py', 'pkg/__init__.py'], 'run.py', 'pkg.search.index', ['Field']), [
    'pkg/search/index.py',
  ])
})

test(
  'JavaScript and TypeScript: relative paths with and without ending, folders, and packages of the ' + 'repository',
  async t => {
    const files = [
      'lib/cart.ts',
      'lib/price/index.js',
      'lib/cart.test.ts',
      'packages/tax/src/rate.ts',
      'lib/types.d.ts',
      'cart.ts',
    ]
    t.same(meaning(files, 'lib/app.ts', './cart.js', ['Cart']), ['lib/cart.ts'])
    t.same(meaning(files, 'lib/app.ts', './cart'), ['lib/cart.ts'])
    t.same(meaning(files, 'lib/app.ts', './price'), ['lib/price/index.js'])
    t.same(meaning(files, 'lib/deep/app.ts', '../price/index.js'), ['lib/price/index.js'])
    t.same(meaning(files, 'lib/app.ts', './types'), ['lib/types.d.ts'])
    t.same(meaning(files, 'lib/app.ts', '../cart'), ['cart.ts'])
    t.same(meaning(files, 'lib/price/tax.js', './index.js'), ['lib/price/index.js'])
    t.same(meaning(files, 'lib/price/tax.js', '.'), ['lib/price/index.js'])
    t.same(meaning(files, 'lib/app.ts', '@shop/tax/src/rate'), ['packages/tax/src/rate.ts'])
    t.same(meaning(files, 'lib/app.ts', './none'), [])
    t.same(meaning(files, 'lib/app.ts', 'node:fs'), [])
  },
)

test(
  'JavaScript: packages by name, aliases, and assets by their whole name; a bare name is a package, not a ' + 'file',
  async t => {
    const files = [
      'packages/tax/src/index.ts',
      'packages/tax/src/rate.ts',
      'lib/util.js',
      'src/util.js',
      'lib/page.js',
      'lib/page.html',
      'lib/index.js',
      'lib/data.json',
      'docs/debug.md',
    ]
    t.same(meaning(files, 'app.js', '@shop/tax'), ['packages/tax/src/index.ts'])
    t.same(meaning(files, 'app.js', 'tax', ['rate']), ['packages/tax/src/index.ts'])
    t.same(meaning(files, 'test/app.js', 'util'), [])
    t.same(meaning(files, 'test/app.js', 'debug'), [])
    t.same(meaning(files, 'src/deep/app.js', '@/util'), ['src/util.js'])
    t.same(meaning(files, 'lib/app.js', './page.html'), ['lib/page.html'])
    t.same(meaning(files, 'lib/app.js', './page'), ['lib/page.js'])
    t.same(meaning(files, 'lib/app.js', './data.json'), ['lib/data.json'])
    t.same(meaning(files, 'test/app.js', '..'), ['lib/index.js'], 'the folder of a package whose code lies in lib')
  },
)

test('Java, Kotlin and Scala: classes by their packages, static members, and whole packages', async t => {
  const files = [
    'core/src/main/java/com/acme/shop/Cart.java',
    'core/src/main/java/com/acme/shop/Price.java',
    'web/src/main/java/com/acme/web/Cart.java',
  ]
  t.same(meaning(files, 'web/src/main/java/com/acme/web/App.java', 'com.acme.shop.Cart'), [
    'core/src/main/java/com/acme/shop/Cart.java',
  ])
  t.same(meaning(files, 'web/src/main/java/com/acme/web/App.java', 'com.acme.shop.Cart.total'), [
    'core/src/main/java/com/acme/shop/Cart.java',
  ])
  t.same(meaning(files, 'web/src/main/java/com/acme/web/App.java', 'com.acme.shop.*'), files.slice(0, 2))
  t.same(meaning(files, 'web/src/main/java/com/acme/web/App.java', 'java.util.List'), [])
  t.same(meaning(files, 'web/src/main/java/com/acme/web/App.java', 'com.acme.shop.Cart.Line.Kind.FREE'), [
    'core/src/main/java/com/acme/shop/Cart.java',
  ])
  const netty = [
    'common/src/main/java/io/acme/util/concurrent/Future.java',
    'common/src/main/java/io/acme/util/concurrent/package-info.java',
  ]
  t.same(meaning(netty, 'x/src/main/java/io/acme/App.java', 'java.util.concurrent.Future'), [])
  t.same(meaning(netty, 'x/src/main/java/io/acme/App.java', 'io.acme.util.concurrent.*'), netty)
  t.same(meaning(['app/src/test/kotlin/DualTest.kt'], 'app/src/main/kotlin/A.kt', 'kotlin.Array'), [])
})

test('Go: packages are folders below a module path', async t => {
  const files = ['pkg/cart/cart.go', 'pkg/cart/total.go', 'pkg/price/price.go', 'cmd/main.go']
  t.same(meaning(files, 'cmd/main.go', 'github.com/acme/shop/pkg/cart'), ['pkg/cart/cart.go', 'pkg/cart/total.go'])
  t.same(meaning(files, 'cmd/main.go', 'github.com/acme/shop/pkg/tax'), [])
  t.same(
    meaning(
      ['api/types/a.go', 'client/v3/b.go', 'server/main.go', 'server/run.go'],
      'cmd/main.go',
      'go.acme.io/shop/api/v3/types',
    ),
    ['api/types/a.go'],
  )
  t.same(meaning(['api/types/a.go', 'client/v3/b.go'], 'cmd/main.go', 'go.acme.io/shop/client/v3'), ['client/v3/b.go'])
  t.same(meaning(['server/main.go', 'server/run.go'], 'cmd/main.go', 'go.acme.io/shop/server'), [
    'server/main.go',
    'server/run.go',
  ])
  t.same(meaning(['pkg/errors/e.go', 'net/http/x.go'], 'cmd/main.go', 'errors'), [])
})

test('Ruby, PHP and C#: files by path, classes by namespace', async t => {
  t.same(meaning(['lib/shop/cart.rb', 'spec/cart.rb'], 'lib/shop.rb', 'shop/cart'), ['lib/shop/cart.rb'])
  t.same(meaning(['lib/shop/cart.rb', 'lib/other/cart.rb'], 'lib/shop/app.rb', './cart'), ['lib/shop/cart.rb'])
  t.same(meaning(['src/Shop/Cart.php', 'src/Web/Cart.php'], 'src/App.php', 'App\\Shop\\Cart'), ['src/Shop/Cart.php'])
  t.same(
    meaning(
      ['src/Acme.Shop/Models/Cart.cs', 'src/Acme.Shop/Models/Price.cs', 'src/Web/App.cs'],
      'src/Web/App.cs',
      'Acme.Shop.Models',
    ),
    ['src/Acme.Shop/Models/Cart.cs', 'src/Acme.Shop/Models/Price.cs'],
  )
  t.same(meaning(['Acme.Model/System/Log.cs'], 'Acme.Web/App.cs', 'System.Linq'), [])
  t.same(
    meaning(
      ['src/Acme/Collections/Arr.php', 'src/Acme/Support/Str.php'],
      'src/Acme/Auth/Gate.php',
      'Acme\\Support\\Arr',
    ),
    ['src/Acme/Collections/Arr.php'],
  )
  t.same(meaning(['lib/lint/cop/bundler.rb'], 'spec/a_spec.rb', 'bundler'), [])
})

test('Swift and shell: modules are folders of sources, scripts are run from elsewhere', async t => {
  t.same(
    meaning(
      ['Sources/Cart/Total.swift', 'Sources/Cart/Line.swift', 'Tests/CartTests/T.swift'],
      'Tests/CartTests/T.swift',
      'Cart',
    ),
    ['Sources/Cart/Line.swift', 'Sources/Cart/Total.swift'],
  )
  t.same(meaning(['scripts/lib.sh', 'other/lib.sh'], 'scripts/test.sh', './scripts/lib.sh'), ['scripts/lib.sh'])
  t.same(meaning(['scripts/lib.sh'], 'scripts/test.sh', '$DIR/lib.sh'), ['scripts/lib.sh'])
})

test('C and C++: headers by the end of their path, the nearest of equals', async t => {
  const files = ['include/shop/cart.h', 'src/cart.h', 'src/util/list.hpp']
  t.same(meaning(files, 'src/main.c', 'shop/cart.h'), ['include/shop/cart.h'])
  t.same(meaning(files, 'src/main.c', 'cart.h'), ['src/cart.h'])
  t.same(meaning(files, 'src/main.cpp', 'util/list.hpp'), ['src/util/list.hpp'])
  t.same(meaning(files, 'src/main.c', 'stdio.h'), [])
  t.same(meaning(['util/memory.h', 'core/String.java'], 'src/main.cpp', 'memory'), [])
  t.same(meaning(['util/memory.h', 'core/string.py'], 'src/main.cpp', 'string.h'), [])
})

test('Rust: paths of modules, with and without the item at their end', async t => {
  const files = ['src/lib.rs', 'src/cart.rs', 'src/price/mod.rs', 'src/price/tax.rs']
  t.same(meaning(files, 'src/lib.rs', 'crate::cart::Cart'), ['src/cart.rs'])
  t.same(meaning(files, 'src/lib.rs', 'crate::price::tax', ['rate']), ['src/price/tax.rs'])
  t.same(meaning(files, 'src/cart.rs', 'super::price'), ['src/price/mod.rs'])
  t.same(meaning(files, 'src/cart.rs', 'std::collections::HashMap'), [])
  t.same(meaning(files, 'src/price/tax.rs', 'crate::Money'), ['src/lib.rs'])
  t.same(
    meaning(
      ['crates/test-support/src/lib.rs', 'crates/test-support/src/git.rs'],
      'tests/a.rs',
      'test_support::Project',
    ),
    ['crates/test-support/src/lib.rs'],
  )
  t.same(
    meaning(
      ['crates/test-support/src/lib.rs', 'crates/test-support/src/git.rs'],
      'tests/a.rs',
      'test_support::git::repo',
    ),
    ['crates/test-support/src/git.rs'],
  )
})

test('any target and any names are safe, and answers are files that were offered', async t => {
  const files = ['a/b.py', 'a/b/c.js', 'x.go']
  const isSafe = (target: string, names: string[]): boolean =>
    importKeys({ target, names }).every(key => key !== '') &&
    resolveImport({ target, names }, 'a/z.py', () => files).every(path => files.includes(path))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.array(fc.string({ maxLength: 10 }), { maxLength: 4 }),
        isSafe,
      ),
    ),
  )
  t.doesNotThrow(() => fc.assert(fc.property(fc.stringMatching(/^[./a-c\\:*]{0,20}$/), target => isSafe(target, []))))
})
