import { test } from 'tap'
import { libraryOf } from '../../../src/resolver/mapping/library-path.ts'

const read = (path: string) =>
  libraryOf(
    path.split('/').filter(part => part !== ''),
    path.startsWith('/'),
  )

test('the folders of package managers name the package, and the path inside it', async t => {
  for (const [path, kind, name, inside] of [
    ['/app/node_modules/kit/lib/a.js', 'npm', 'kit', 'lib/a.js'],
    ['/app/node_modules/@acme/kit/a.js', 'npm', '@acme/kit', 'a.js'],
    ['/app/node_modules/a/node_modules/b/c.js', 'npm', 'b', 'c.js'],
    ['/app/node_modules/.pnpm/kit@1.0.0/node_modules/kit/a.js', 'npm', 'kit', 'a.js'],
    ['/v/lib/python3.9/site-packages/shop/cart.py', 'python', 'shop', 'shop/cart.py'],
    ['/usr/lib/python3/dist-packages/six.py', 'python', 'six', 'six.py'],
    ['/v/site-packages/shop-1.2-py2.7.egg/shop/cart.py', 'python', 'shop', 'shop/cart.py'],
    ['/usr/lib/ruby/gems/3.0.0/gems/cash-1.2.3/lib/cash.rb', 'gem', 'cash', 'lib/cash.rb'],
    ['/b/bundler/gems/cash-box-0a1b2c3d4e5f/lib/cash.rb', 'gem', 'cash-box', 'lib/cash.rb'],
    ['/usr/lib/ruby/vendor_ruby/shop/errors.rb', 'ruby', 'shop', 'shop/errors.rb'],
    ['/usr/lib/ruby/site_ruby/2.7.0/shop/errors.rb', 'ruby', 'shop', 'shop/errors.rb'],
    ['/go/pkg/mod/example.com/!acme/shop@v1.2.3/cart/cart.go', 'go', 'example.com/Acme/shop', 'cart/cart.go'],
    ['example.com/acme/shop/v2@v2.0.0/cart.go', 'go', 'example.com/acme/shop/v2', 'cart.go'],
    ['/c/registry/src/index.crates.io-6f17d22bba15001f/till-0.3.1/src/lib.rs', 'cargo', 'till', 'src/lib.rs'],
    ['/c/git/checkouts/till-0a1b2c3d4e5f6a7b/0a1b2c3/src/lib.rs', 'cargo', 'till', 'src/lib.rs'],
    ['package/shop/src/cart.dart', 'pub', 'shop', 'src/cart.dart'],
    ['/home/u/.pub-cache/hosted/pub.dev/shop-1.2.3/lib/cart.dart', 'pub', 'shop', 'lib/cart.dart'],
    ['/var/www/vendor/acme/log/src/Logger.php', 'composer', 'acme/log', 'src/Logger.php'],
    ['/usr/lib/python3.11/json/decoder.py', 'standard', null, 'json/decoder.py'],
    ['/Python39/Lib/json/decoder.py', 'standard', null, 'json/decoder.py'],
    ['lib/ruby/3.4.0/digest.rb', 'standard', null, 'digest.rb'],
    [
      '/rustc/90b35a6239c3d8bdabc530a6a0816f7ff89a0aaf/library/std/src/panicking.rs',
      'standard',
      null,
      'library/std/src/panicking.rs',
    ],
    [
      '/rustc/90b35a6239c3d8bdabc530a6a0816f7ff89a0aaf/compiler/rustc_errors/src/lib.rs',
      'standard',
      null,
      'compiler/rustc_errors/src/lib.rs',
    ],
    ['/usr/local/go/src/net/http/server.go', 'standard', null, 'net/http/server.go'],
    ['/usr/include/x86_64-linux-gnu/bits/string.h', 'standard', null, 'x86_64-linux-gnu/bits/string.h'],
  ] as const) {
    t.match(read(path), { kind, package: name, inside }, path)
  }
})

test('other folders are no libraries', async t => {
  for (const path of [
    '/app/src/cart.py',
    '/srv/gems/cart.rb',
    '/app/vendor/cart.py',
    '/app/vendor/example.com/x/y.go',
    '/home/go/src/example.com/shop/cart.go',
    '/app/mod/x.go',
    '/go/pkg/mod/example.com/shop/x.go',
    '/go/pkg/mod/example.com/shop@v1.2.3',
    '/node_modules',
    'lib/python/cart.py',
    '/home/u/library/cart.rs',
  ]) {
    t.equal(read(path), null, path)
  }
})

test('folders that are only called like those of a package manager are the project', async t => {
  for (const path of [
    '/srv/mod/example.com/acme/a.go',
    '/srv/pkg/example.com/acme/a.go',
    '/srv/registry/till/src/a.rs',
  ]) {
    t.equal(read(path), null, path)
  }
})
