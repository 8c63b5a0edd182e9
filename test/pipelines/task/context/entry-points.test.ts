import { test } from 'tap'
import { entryPoints, isTypeFile, namedByManifest } from '../../../../src/pipelines/task/context/entry-points.ts'

const ENTRIES = [
  'src/main.ts',
  'src/index.tsx',
  'src/App.vue',
  'app.vue',
  'pages/index.vue',
  'src/pages/_app.tsx',
  'app/page.tsx',
  'src/routes/+page.svelte',
  'server.js',
  'lib/index.js',
  'packages/cart/src/index.ts',
  'manage.py',
  'shop/__main__.py',
  'src/shop/__init__.py',
  'main.go',
  'cmd/shop/main.go',
  'src/lib.rs',
  'crates/cart/src/main.rs',
  'src/bin/shop.rs',
  'src/main/java/com/shop/ShopApplication.java',
  'app/src/main/kotlin/com/shop/MainActivity.kt',
  'Shop.Web/Program.cs',
  'config/routes.rb',
  'lib/shop.rb',
  'public/index.php',
  'routes/web.php',
  'Sources/Shop/ShopApp.swift',
  'src/main.c',
  'lib/main.dart',
  'lib/shop/application.ex',
]
const NO_ENTRIES = ['src/deep/main.ts', 'src/domain.ts', 'docs/index.md', 'src/Maintain.java', 'a/b/c/__init__.py']

test('programs and libraries of every language begin somewhere', t => {
  for (const path of ENTRIES) t.same(entryPoints([path]), [path], path)
  for (const path of NO_ENTRIES) t.same(entryPoints([path]), [], path)
  t.same(entryPoints([...ENTRIES, ...NO_ENTRIES].reverse()).sort(), [...ENTRIES].sort(), 'each once')
  t.end()
})

test('a manifest names where its package begins', t => {
  const manifest = { main: './lib/main.js', bin: { shop: 'bin/shop.js' }, exports: { '.': { import: './a.mjs' } } }
  t.same(namedByManifest(JSON.stringify(manifest)), ['lib/main.js', 'bin/shop.js', 'a.mjs'])
  t.same(namedByManifest('{'), [])
  t.same(namedByManifest('[]'), [])
  t.same(namedByManifest('{"main": 5, "bin": null}'), [])
  t.same(namedByManifest(`{"bin": ${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`), [])
  t.end()
})

test('files of types', t => {
  for (const path of ['a.d.ts', 'src/types.ts', 'types/cart.ts', 'a/types/b/c.ts', 'shop/typings.py', 'x.d.mts']) {
    t.ok(isTypeFile(path), path)
  }
  for (const path of ['src/prototypes.ts', 'types', 'src/type.ts', 'typesx/a.ts']) t.notOk(isTypeFile(path), path)
  t.end()
})
