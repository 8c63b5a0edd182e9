import { test } from 'tap'
import { CODE, frame, mapOne } from './map-one.ts'

test('packages that the project holds are found by their manifests', async t => {
  const files = {
    'packages/metal/package.json': '{"name": "@acme/metal"}',
    'packages/metal/src/forge.js': CODE,
    'package.json': '{"name": "tools"}',
    'lib/cut.js': CODE,
    'composer.json': '{"name": "acme/framework"}',
    'src/Http/Kernel.php': CODE,
    'crates/till/Cargo.toml': '[workspace]\nname = "no"\n[package]\nname = "till"\n',
    'crates/till/src/lib.rs': CODE,
    'gems/cash/cash.gemspec': '',
    'gems/cash/lib/cash/coin.rb': CODE,
    'lib/shop/errors.rb': CODE,
    'go.mod': 'module example.com/shop/v2\n',
    'cart/cart.go': CODE,
    'server/go.mod': 'module example.com/shop/server/v2 // x\n',
    'server/embed/run.go': CODE,
    'tests/embed/run.go': CODE,
  }
  for (const [file, path, name] of [
    ['/app/node_modules/@acme/metal/src/forge.js', 'packages/metal/src/forge.js'],
    ['/app/node_modules/@acme/metal/forge.js', 'packages/metal/src/forge.js'],
    ['/usr/lib/node_modules/tools/lib/cut.js', 'lib/cut.js'],
    ['/var/www/vendor/acme/framework/src/Http/Kernel.php', 'src/Http/Kernel.php'],
    ['/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/till-0.3.1/src/lib.rs', 'crates/till/src/lib.rs'],
    ['/usr/lib/ruby/gems/3.0.0/gems/cash-1.2.3/lib/cash/coin.rb', 'gems/cash/lib/cash/coin.rb'],
    ['/usr/lib/ruby/vendor_ruby/shop/errors.rb', 'lib/shop/errors.rb'],
    ['/go/pkg/mod/example.com/shop/v2@v2.1.0/cart/cart.go', 'cart/cart.go'],
    ['example.com/shop/v2@v2.1.0/cart/cart.go', 'cart/cart.go'],
    ['/home/u/corp/embed/run.go', 'server/embed/run.go', 'example.com/shop/server/v2/embed.(*Run).start'],
  ] as const) {
    t.match(mapOne(files, frame(file, { function: name ?? null })), { path, inProject: true }, file)
  }
  for (const file of [
    '/app/node_modules/@acme/other/src/forge.js',
    '/app/node_modules/metal/src/forge.js',
    '/root/.cargo/registry/src/github.com-1ecc/no-0.3.1/src/lib.rs',
    '/go/pkg/mod/example.com/other@v1.0.0/cart/cart.go',
    '/usr/lib/ruby/3.0.0/shop/errors.rb',
    '/usr/local/go/src/net/http/cart.go',
  ]) {
    t.match(mapOne(files, frame(file)), { path: null, inProject: false }, file)
  }
  t.match(
    mapOne({ 'runtime/panic.go': CODE }, frame('/opt/x/runtime/panic.go', { function: 'runtime.gopanic' })),
    { inProject: false },
    'the standard library of Go by its package',
  )
})

test('the application that Elixir prints before a path tells whose lib/ it is', async t => {
  const files = {
    'mix.exs': 'def project, do: [app: :shop, version: "1.2.0"]\n',
    'lib/enum.ex': CODE,
    'lib/cart.ex': CODE,
    'apps/till/mix.exs': '[\n  app: :till\n]\n',
    'apps/till/lib/cart.ex': CODE,
  }
  const one = (app: string, file: string) =>
    mapOne(files, frame(file, { raw: `    (${app}) ${file}:2: Shop.Cart.total/1` }))
  t.match(one('shop', 'lib/cart.ex'), { path: 'lib/cart.ex', match: 'package', why: 'package shop is ./' })
  t.match(one('till 0.1.0', 'lib/cart.ex'), { path: 'apps/till/lib/cart.ex', why: 'package till is apps/till/' })
  t.match(one('elixir 1.15.0', 'lib/enum.ex'), { path: null, why: /in a library \(elixir\)/ })
  t.match(mapOne(files, frame('lib/enum.ex', { raw: '    lib/enum.ex:2: Shop.Enum.total/1' })), {
    path: 'lib/enum.ex',
    match: 'exact',
  })
  t.match(
    mapOne({ 'lib/enum.ex': CODE }, frame('lib/enum.ex', { raw: '(elixir) lib/enum.ex:2: Enum.map/2' })),
    { path: 'lib/enum.ex' },
    'without a mix.exs nobody knows',
  )
})

test('a package of Dart is a folder lib/', async t => {
  const files = {
    'packages/till/pubspec.yaml': 'name: till\nversion: 1.0.0\n',
    'packages/till/lib/src/cash.dart': CODE,
    'lib/main.dart': CODE,
  }
  t.equal(mapOne(files, frame('package:till/src/cash.dart')).path, 'packages/till/lib/src/cash.dart')
  t.equal(mapOne(files, frame('package:other/main.dart')).path, null)
})
