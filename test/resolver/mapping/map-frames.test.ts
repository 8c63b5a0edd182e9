import fc from 'fast-check'
import { test } from 'tap'
import type { Frame } from '../../../src/core/frame.ts'
import { mapFrames } from '../../../src/resolver/mapping/map-frames.ts'
import { numberedFile } from '../../fakes/memory-code-reader.ts'
import { runs } from '../../helpers/property-runs.ts'
import { processorMs } from '../../helpers/processor-time.ts'

function frame(file: string | null, place: Partial<Frame> = {}): Frame {
  return {
    index: 0,
    exception: 0,
    raw: '',
    file,
    line: 2,
    column: null,
    function: null,
    sourceText: null,
    repeat: 1,
    ...place,
  }
}

/** Maps frames against files given as path → text. */
function map(files: Record<string, string>, frames: Frame[], repository = 'shop') {
  const list = Object.keys(files).map(path => ({ repository, path }))
  return mapFrames(frames, list, (_, path) => files[path] ?? null)
}

function mapOne(files: Record<string, string>, one: Frame, repository?: string) {
  const [mapped] = map(files, [one], repository)
  if (mapped === undefined) throw new Error('one frame in, one frame out')
  return mapped
}

const CODE = numberedFile(50)

test('a path that the index has is exact', async t => {
  t.match(mapOne({ 'src/utils.py': CODE, 'utils.py': CODE }, frame('src/utils.py')), {
    path: 'src/utils.py',
    match: 'exact',
    inProject: true,
    repository: 'shop',
    codeLine: 2,
  })
  t.match(mapOne({ 'src/utils.py': CODE }, frame('./src/../src/utils.py')), { path: 'src/utils.py', match: 'exact' })
})

test('else the longest suffix wins, and the sentence names both roots', async t => {
  const files = { 'src/api/utils.py': CODE, 'tools/utils.py': CODE, 'utils.py': CODE }
  t.match(mapOne(files, frame('/app/api/utils.py')), {
    path: 'src/api/utils.py',
    match: 'suffix',
    why: '/app/ is src/ in the repository',
  })
  t.match(mapOne({ 'src/utils.py': CODE }, frame('/app/utils.py')), {
    path: 'src/utils.py',
    match: 'suffix',
    why: '/app/ is src/ in the repository',
  })
  t.match(mapOne({ 'shop/cart.py': CODE }, frame('/srv/shop/cart.py')), {
    path: 'shop/cart.py',
    match: 'suffix',
    why: '/srv/ is the top of the repository',
  })
})

test('a base name alone needs something of the frame in the file', async t => {
  const files = { 'deep/inside/utils.py': 'def process():\n    pass\n' }
  t.match(mapOne(files, frame('/app/other/utils.py', { function: 'process' })), {
    path: 'deep/inside/utils.py',
    match: 'basename',
  })
  t.match(mapOne(files, frame('utils.py')), { path: 'deep/inside/utils.py', match: 'basename' })
  t.match(mapOne(files, frame('/app/other/utils.py', { function: 'render' })), {
    path: null,
    match: 'none',
    inProject: false,
    candidates: ['deep/inside/utils.py'],
  })
})

test('equal names are settled by line, then function, then depth, then alphabet', async t => {
  const named = (name: string): string => `line 1\ndef ${name}():\n    pass\n`
  t.equal(
    mapOne({ 'a/x/run.py': 'one line\n', 'b/x/run.py': CODE }, frame('/app/x/run.py', { line: 40 })).path,
    'b/x/run.py',
  )
  t.equal(
    mapOne({ 'a/x/run.py': named('f'), 'b/x/run.py': named('g') }, frame('/app/x/run.py', { function: 'g' })).path,
    'b/x/run.py',
  )
  t.equal(mapOne({ 'a/b/x/run.py': CODE, 'z/x/run.py': CODE }, frame('/app/x/run.py')).path, 'z/x/run.py')
  const tied = mapOne({ 'b/run.py': CODE, 'a/run.py': CODE }, frame('run.py'))
  t.match(tied, { path: 'a/run.py', candidates: ['b/run.py'] })
})

test('a bare name is settled by the class when lines and functions agree', async t => {
  const files = Object.fromEntries(
    ['Cart', 'Till', 'Shelf'].map(name => [
      `packages/${name.toLowerCase()}/index.js`,
      `class ${name} {\n  run () {\n    return 1\n  }\n}\n`,
    ]),
  )
  t.equal(mapOne(files, frame('index.js', { line: 3, function: 'Till.run' })).path, 'packages/till/index.js')
  t.equal(
    mapOne(files, frame('/srv/index.js', { line: 3, function: 'Shelf.run [as go]' })).path,
    'packages/shelf/index.js',
  )
})

test('what other frames show of the roots settles a name that many files have', async t => {
  const files = {
    'backend/shop/cart.py': CODE,
    'backend/shop/till.py': CODE,
    'backend/models.py': CODE,
    'other/models.py': CODE,
  }
  const mapped = map(files, [frame('/app/shop/cart.py'), frame('/app/shop/till.py'), frame('/app/models.py')])
  t.match(mapped[2], {
    path: 'backend/models.py',
    match: 'suffix',
    why: 'below the same folder as backend/shop/cart.py; more speaks for it than for other/models.py',
    candidates: ['other/models.py'],
  })
})

test('URLs, Windows paths, queries and encoded characters are read as paths', async t => {
  const files = { 'src/my file.js': CODE, 'src/app.vue': CODE }
  for (const file of [
    'file:///srv/src/my%20file.js',
    'C:\\work\\src\\my file.js',
    'file:///C:/work/src/my%20file.js',
    'webpack:///./src/my%20file.js?1a2b',
    'https://host/src/my%20file.js?v=3',
  ]) {
    t.equal(mapOne(files, frame(file)).path, 'src/my file.js', file)
  }
  t.equal(mapOne(files, frame('webpack-internal:///./src/app.vue?vue&type=script')).path, 'src/app.vue')
})

test('libraries and the runtime are not in the project, however much a name agrees', async t => {
  const files = {
    'src/index.js': CODE,
    'json/decoder.py': CODE,
    'shop/json/decoder.py': CODE,
    'shop/django/core/base.py': CODE,
    'fs.py': CODE,
  }
  for (const file of [
    '/app/node_modules/left/index.js',
    '/usr/lib/python3.11/shop/decoder.py',
    '/venv/lib/python3.11/site-packages/other/decoder.py',
    'node:internal/index.js',
    'node:fs',
    'internal/modules/cjs/loader.js',
    'events.js',
    '<frozen importlib._bootstrap>',
    '<string>',
    '<anonymous>',
    'C:\\Python39\\Lib\\site-packages\\left\\decoder.py',
  ]) {
    const mapped = mapOne(files, frame(file))
    t.match(mapped, { inProject: false, match: 'none', path: null, codeLine: null }, file)
    t.ok(mapped.why.length > 0)
  }
})

test('a library that is the project itself, or that it tracks, is in the project', async t => {
  t.match(mapOne({ 'celery/worker.py': CODE }, frame('/venv/lib/python3.9/site-packages/celery/worker.py')), {
    path: 'celery/worker.py',
    match: 'suffix',
  })
  t.match(mapOne({ 'packages/kit/src/a.js': CODE }, frame('/app/node_modules/kit/src/a.js')), {
    path: 'packages/kit/src/a.js',
    match: 'suffix',
  })
  t.match(mapOne({ 'lib/a.js': CODE }, frame('/app/node_modules/kit/lib/a.js'), 'kit'), {
    path: 'lib/a.js',
    match: 'package',
  })
  t.match(mapOne({ 'lib/a.js': CODE }, frame('/app/node_modules/kit/lib/a.js'), 'shop'), { path: null, match: 'none' })
  t.match(
    mapOne(
      { 'lib/a.js': CODE, 'package.json': '{"name": "@our/kit"}' },
      frame('/app/node_modules/@our/kit/lib/a.js'),
      'shop',
    ),
    { path: 'lib/a.js', match: 'package' },
  )
  t.match(mapOne({ 'lib/a.js': CODE, 'package.json': '{"name": ' }, frame('/app/node_modules/kit/lib/a.js'), 'shop'), {
    path: null,
    match: 'none',
  })
  t.match(
    mapOne({ 'pip/_vendor/rich/text.py': CODE }, frame('/venv/lib/python3.9/site-packages/rich/text.py')),
    { path: null },
    'a vendored copy is not that library',
  )
})

test('a line that is not there is told, with the place where the code is now', async t => {
  const files = { 'a.py': 'import os\n\ndef f():\n    return g()\n' }
  t.match(mapOne(files, frame('a.py', { line: 1, sourceText: 'return g()' })), {
    codeLine: 4,
    line: 1,
    why: 'the path is a.py in the index; the printed code is at line 4',
  })
  t.match(mapOne(files, frame('a.py', { line: 90 })), {
    codeLine: null,
    why: 'the path is a.py in the index; the file has 4 lines',
  })
  t.match(mapOne(files, frame('a.py', { line: 2, sourceText: 'gone()' })), {
    codeLine: null,
    why: 'the path is a.py in the index; the printed code is not at this line',
  })
})

test('hostile names are only names', async t => {
  const files = { 'a.py': CODE, ['__proto__']: CODE }
  for (const file of [
    '../../../../etc/passwd',
    '/etc/passwd',
    '__proto__/a.js',
    'constructor',
    '',
    '/',
    '..',
    'file://%',
    'a'.repeat(5000),
    '\u0000',
  ]) {
    t.equal(mapOne(files, frame(file)).path, null, file)
  }
  t.equal(mapOne(files, frame(null)).why, 'the runtime printed no file')
})

const SHORT = 'x = 1\n'

test('a library or another tool is not mapped into the project against all evidence', async t => {
  const files = {
    'src/queue.py': SHORT,
    'src/email/message.py': SHORT,
    'types.py': SHORT,
    'app/integrations/requests/models.py': SHORT,
    'shop/integrations/flask/app.py': SHORT,
    'index.js': SHORT,
    'shop/images/backends/base.py': numberedFile(251),
    'shop/images/backends/__init__.py': '',
  }
  for (const [file, line, name] of [
    ['/usr/lib/python3.11/queue.py', 180, 'get'],
    ['/usr/lib/python3.11/email/message.py', 400, 'get'],
    ['/usr/lib/python3.11/types.py', 297, 'wrap'],
    ['/v/lib/python3.9/site-packages/requests/models.py', 1021, 'send'],
    ['/v/lib/python3.9/site-packages/flask/app.py', 1498, 'wsgi_app'],
    ['/home/u/other-tool/dist/index.js', 9999, 'go'],
    ['.../django/db/models/base.py', 453, '__init__'],
  ] as const) {
    t.match(mapOne(files, frame(file, { line, function: name })), { path: null, inProject: false, match: 'none' }, file)
  }
  t.match(
    mapOne({ 'lib/a.js': CODE }, frame('/app/node_modules/@acme/kit/lib/a.js'), 'kit'),
    { path: null },
    'a scoped package is not any repository of its last name',
  )
})

test('"why" states no evidence that does not exist', async t => {
  t.equal(mapOne({ 'src/utils.py': CODE }, frame('/app/utils.py')).why, '/app/ is src/ in the repository')
  t.equal(
    mapOne({ 'shop/src/api/cart.py': CODE }, frame('api/cart.py')).why,
    'paths of the trace begin in shop/src/ in the repository',
  )
  const [first] = map({ 'src/a/cart.py': CODE, 'src/b/till.py': CODE }, [
    frame('/app/a/cart.py'),
    frame('/app/b/till.py'),
  ])
  t.equal(first?.why, '/app/ is src/ in the repository, as for 1 other file')
})

test('what spoke for a file is said once, and so is what its folder is', async t => {
  const files = { 'src/cart.py': 'def total():\n    return add(1)\n', 'src/till.py': CODE }
  const frames = [
    frame('/app/cart.py', { index: 4, function: 'total', sourceText: 'return add(1)' }),
    frame('/app/till.py', { index: 5 }),
    frame('/app/cart.py', { index: 6, line: 1, function: 'total', sourceText: 'return add(1)' }),
  ]
  t.same(
    map(files, frames).map(({ why }) => why),
    [
      '/app/ is src/ in the repository; the printed code and the function are in it',
      'below the same folder as src/cart.py',
      'the same file as in frame 4; the printed code is at line 2',
    ],
  )
  const named = map({ 'x/a/cart.py': 'def total():\n  pass\n' }, [frame('a/cart.py', { function: 'total' })])
  t.equal(named[0]?.why, 'paths of the trace begin in x/ in the repository; the function is in it')
  const code = map({ 'deep/er/cart.py': '\nreturn add(1)\n' }, [frame('/v/cart.py', { sourceText: 'return add(1)' })])
  t.equal(code[0]?.why, 'only the base name cart.py agrees; the printed code is in it')
})

test('the pair of roots that most frames agree in wins over a longer name, and the loser is shown', async t => {
  const files = {
    'server/a/cart.py': CODE,
    'server/b/till.py': CODE,
    'server/c/shelf.py': CODE,
    'server/run.py': CODE,
    'other/run.py': CODE,
    'run.py': CODE,
  }
  const mapped = map(files, [
    frame('/srv/shop/a/cart.py'),
    frame('/srv/shop/b/till.py'),
    frame('/srv/shop/c/shelf.py'),
    frame('/srv/shop/run.py'),
  ])
  t.match(mapped[3], { path: 'server/run.py', match: 'suffix', candidates: ['run.py', 'other/run.py'] })
  t.match(mapped[3]?.why, /^below the same folder as server\/a\/cart\.py; more speaks for it than for run\.py$/)
})

test('a vendored copy is not mistaken for the project, nor the project for it', async t => {
  const files = {
    'client/client.go': CODE,
    'vendor/example.com/rpc/v2/client/client.go': CODE,
    'daemon/daemon.go': CODE,
  }
  t.equal(
    mapOne(files, frame('/go/src/example.com/shop/vendor/example.com/rpc/v2/client/client.go')).path,
    'vendor/example.com/rpc/v2/client/client.go',
  )
  t.equal(mapOne(files, frame('/go/src/example.com/shop/client/client.go')).path, 'client/client.go')
  t.equal(
    mapOne({ 'src/Logger.php': CODE }, frame('/var/www/vendor/acme/log/src/Logger.php')).path,
    null,
    'a dependency that is not tracked',
  )
})

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

test('a bundle that was published under the name of a source is not that source', async t => {
  const files = { 'package.json': '{"name": "kit"}', 'src/index.js': 'export function parse () {\n  return 1\n}\n' }
  t.match(mapOne(files, frame('/app/node_modules/kit/index.js', { line: 13_652, function: 'Parser.raise' })), {
    path: null,
  })
  t.match(mapOne(files, frame('/app/node_modules/kit/index.js', { line: 2, function: 'parse' })), {
    path: 'src/index.js',
    match: 'package',
  })
})

test('a line far beyond the end of a script is one of a bundle', async t => {
  const files = {
    'package.json': '{"name": "kit"}',
    'index.js': "module.exports = require('./src')\n",
    'src/print.js': 'function print () {\n  return 1\n}\n',
  }
  t.match(mapOne(files, frame('/app/node_modules/kit/index.js', { line: 26_534, function: 'printAll' })), {
    path: null,
    why: /index\.js has 1 lines: what ran is a bundle/,
  })
  t.match(
    mapOne(files, frame('/app/node_modules/kit/index.js', { line: 90, function: 'printAll' })),
    { path: 'index.js' },
    'another version of it',
  )
  t.match(mapOne(files, frame('/app/node_modules/kit/src/print.js', { line: 26_534, function: 'print' })), {
    path: 'src/print.js',
    codeLine: 1,
  })
})

test("a path below a folder that bears the repository's name is that of a checkout, whatever its version", async t => {
  const files = { 'tools/release.py': 'x = 1\n', Rakefile: 'task :x\n', 'bin/shop': 'x\n', 'shop.gemspec': 'x\n' }
  const changed = { line: 370, function: 'publish', sourceText: 'publish(version)' }
  t.match(mapOne(files, frame('/home/ada/shop/tools/release.py', changed)), {
    path: 'tools/release.py',
    match: 'suffix',
    codeLine: null,
  })
  t.match(mapOne(files, frame('C:\\work\\Shop\\tools\\release.py', changed)), { path: 'tools/release.py' })
  t.match(mapOne(files, frame('/home/ada/shop/Rakefile', { line: 1, function: 'block in shop' })), { path: 'Rakefile' })
  t.match(mapOne(files, frame('/home/ada/shop/Rakefile', changed)), { path: null })
  t.match(mapOne(files, frame('/home/ada/till/tools/release.py', changed)), { path: null })
  const [, binstub] = map(files, [
    frame('/srv/gems/shop-1.0/shop.gemspec', { line: 1 }),
    frame('/etc/shop/bin/shop', { line: 14, function: 'load' }),
  ])
  t.match(binstub, { path: null }, 'a program that uses the package')
})

test('where the project runs as an installed package, what lies outside is the program that uses it', async t => {
  const files = { 'package.json': '{"name": "kit"}', 'lib/a.js': CODE, 'index.js': CODE, 'test/lib/deep/run.js': CODE }
  const inKit = frame('/home/u/app/node_modules/kit/lib/a.js')
  t.same(
    map(files, [frame('/home/u/app/index.js'), inKit]).map(({ path }) => path),
    [null, 'lib/a.js'],
  )
  t.same(
    map({ ...files, 'src/cli/index.js': `${CODE}function main () {\n  return 1\n}\n` }, [
      frame('/home/u/app/index.js', { function: 'main' }),
      inKit,
    ]).map(({ path }) => path),
    [null, 'lib/a.js'],
    'a function of that name is elsewhere in the file',
  )
  t.equal(mapOne(files, frame('/home/u/app/index.js')).path, 'index.js', 'without such a frame it is the likeliest')
  t.same(
    map(files, [frame('/home/u/kit/test/lib/deep/run.js'), inKit]).map(({ path }) => path),
    ['test/lib/deep/run.js', 'lib/a.js'],
    'a long path is beyond doubt',
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

test('a package tells the folder where a runtime prints none', async t => {
  const java = (name: string): string => `package ${name};\nclass X {}\n${CODE}`
  const files = {
    'a/src/main/java/com/acme/shop/Cart.java': java('com.acme.shop'),
    'b/src/main/java/com/acme/till/Cart.java': java('com.acme.till'),
    'core/src/main/kotlin/dev/till/Entity.kt': 'package dev.acme.till\n',
    'Util.java': 'class Util {}\n',
  }
  t.match(mapOne(files, frame('Cart.java', { function: 'com.acme.till.Cart$Line.total' })), {
    path: 'b/src/main/java/com/acme/till/Cart.java',
    match: 'package',
    why: 'package com.acme.till is a folder below b/src/main/java/',
  })
  t.match(mapOne(files, frame('Entity.kt', { function: 'dev.acme.till.Entity$Companion.from', line: 1 })), {
    path: 'core/src/main/kotlin/dev/till/Entity.kt',
    why: /declares package/,
  })
  t.match(mapOne(files, frame('Cart.java', { function: 'org.other.Cart.total' })), {
    path: null,
    candidates: ['a/src/main/java/com/acme/shop/Cart.java', 'b/src/main/java/com/acme/till/Cart.java'],
  })
  t.match(mapOne(files, frame('Thread.java', { function: 'java.lang.Thread.run' })), { path: null })
})

test('a frame without a file is found by namespace, class and function', async t => {
  const files = {
    'Shop/Carts/Cart.cs': 'namespace Shop.Carts;\n\npublic class Cart {\n    public int Total(int x) {\n    }\n}\n',
    'Old/Cart.cs': 'namespace Old {\n}\n',
  }
  t.match(mapOne(files, frame(null, { line: null, function: 'Shop.Carts.Cart.Total(Int32 x)' })), {
    path: 'Shop/Carts/Cart.cs',
    match: 'symbol',
    codeLine: 4,
  })
  t.match(mapOne(files, frame(null, { line: null, function: 'Shop.Carts.Cart.Count()' })), {
    path: null,
    why: 'the runtime printed no file',
  })
  t.match(mapOne(files, frame(null, { line: null, function: 'System.Linq.Enumerable.First()' })), { path: null })
})

test('compiled output is found by name with the function as the anchor; its lines say nothing', async t => {
  const files = {
    'src/cart/total.ts': '// licence\n\nexport function total (cart: Cart) {\n  return 1\n}\n',
    'src/till/total.ts': 'export const rate = 1\n',
    'types/cart/total.d.ts': 'export function total(): void\n',
  }
  for (const file of [
    '/app/dist/cart/total.js',
    '/app/dist/esm/cart/total.mjs',
    '/app/build/total.min.js',
    'dist/cjs/cart/total.cjs',
  ]) {
    t.match(
      mapOne(files, frame(file, { line: 900, function: 'Object.total' })),
      { path: 'src/cart/total.ts', match: 'symbol', codeLine: 3, line: 900 },
      file,
    )
  }
  t.match(mapOne(files, frame('/app/dist/cart/total.js', { function: 'gone' })), { path: null })
  const library = { ...files, 'package.json': '{"name": "kit"}' }
  t.match(mapOne(library, frame('/app/node_modules/kit/dist/cart/total.js', { function: 'total' })), {
    path: 'src/cart/total.ts',
    match: 'symbol',
  })
})

test('what was published or copied without its output folder is found by its path and its functions', async t => {
  const router =
    'export class Router {\n  rate = 1\n\n  protected async route(\n    path: string,\n  ): Promise<void> {\n    return this.find(path)\n  }\n\n  find(path: string) { return 1 }\n}\n'
  const files = {
    'package.json': '{"name": "kit"}',
    'src/routing/Router.ts': router,
    'src/other/Router.ts': router,
    'src/user/user.service.ts': router,
    'src/main.ts': router,
    'packages/core/package.json': '{"name": "@acme/core"}',
    'packages/core/router/router-proxy.mts': router,
    'deep/down/user/user.guard.ts': router,
  }
  const compiled = { line: 2192, function: 'Router.route' }
  t.match(mapOne(files, frame('/app/node_modules/kit/routing/Router.js', compiled)), {
    path: 'src/routing/Router.ts',
    match: 'symbol',
    inProject: true,
    codeLine: 4,
    why: 'package kit is ./; compiled from src/routing/Router.ts; the printed line says nothing there; route begins at line 4',
  })
  t.match(mapOne(files, frame('/app/node_modules/@acme/core/router/router-proxy.js', compiled)), {
    path: 'packages/core/router/router-proxy.mts',
    codeLine: 4,
  })
  t.match(mapOne(files, frame('/usr/src/app/user/user.service.js', compiled)), {
    path: 'src/user/user.service.ts',
    match: 'symbol',
    codeLine: 4,
  })
  t.match(mapOne(files, frame('C:\\app\\user\\user.service.js', compiled)), { path: 'src/user/user.service.ts' })
  t.match(
    mapOne(files, frame('/srv/app/dist/routing/Router.js', compiled)),
    { path: 'src/routing/Router.ts', codeLine: 4 },
    'with its output folder as before',
  )

  t.match(mapOne(files, frame('/app/node_modules/kit/routing/Router.js', { ...compiled, function: 'Router.gone' })), {
    path: null,
    why: /^package kit is \.\/, but no file there is routing\/Router\.js/,
  })
  t.match(mapOne(files, frame('/app/node_modules/left/routing/Router.js', compiled)), {
    path: null,
    why: 'the frame is in a library (left), not in the project',
  })
  t.match(mapOne(files, frame('/usr/src/app/users/user.service.js', compiled)), { path: null }, 'another folder')
  t.match(mapOne(files, frame('/usr/src/app/main.js', compiled)), { path: null }, 'a base name alone')
  t.match(mapOne(files, frame('/usr/src/app/user/user.guard.js', compiled)), { path: null }, 'below no source root')
  const [outside] = map(files, [
    frame('/home/u/app/user/user.service.js', compiled),
    frame('/home/u/app/node_modules/kit/routing/Router.js', compiled),
  ])
  t.match(outside, { path: null }, 'in a program that uses the package')
})

test('of a compiled file each frame tells its own function', async t => {
  const files = {
    'src/cart/total.ts':
      'export function total (cart) {\n  return net(cart)\n}\n\nexport function net (cart) {\n  return 1\n}\n',
  }
  const whys = map(
    files,
    ['total', 'net', 'gone', null].map(name => frame('/app/dist/cart/total.js', { line: 900, function: name })),
  ).map(({ why }) => why)
  t.same(
    whys,
    [
      'total begins at line 1',
      'net begins at line 5',
      'it does not define gone, but what another frame of the file names',
      'other frames of the file name its functions, this one none',
    ].map((own, i) => {
      const file = 'compiled from src/cart/total.ts; the printed line says nothing there'
      return `${i === 0 ? file : 'the same file as in frame 0'}; ${own}`
    }),
  )
})

test('a source map in the index goes before names', async t => {
  // One generated line whose column 10 (0-based) comes from line 4 of the source.
  const map1 = JSON.stringify({ version: 3, sources: ['../src/cart.ts'], names: [], mappings: 'AAAA,UAGA' })
  const inline = `x()\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map1).toString('base64')}\n`
  const files = { 'src/cart.ts': numberedFile(9), 'bin/cart.js': inline }
  t.match(mapOne(files, frame('/app/bin/cart.js', { line: 1, column: 12 })), {
    path: 'src/cart.ts',
    match: 'source_map',
    codeLine: 4,
    line: 1,
  })
  t.match(mapOne(files, frame('/app/bin/cart.js', { line: 1, column: 3 })), { path: 'src/cart.ts', codeLine: 1 })
  t.match(
    mapOne(
      { ...files, 'bin/cart.js': 'x()\n//# sourceMappingURL=cart.js.map\n', 'bin/cart.js.map': map1 },
      frame('/app/bin/cart.js', { line: 1, column: 12 }),
    ),
    { path: 'src/cart.ts', match: 'source_map', codeLine: 4 },
  )
  t.match(
    mapOne(
      { ...files, 'bin/cart.js': 'x()\n//# sourceMappingURL=../../../../etc/passwd\n' },
      frame('/app/bin/cart.js', { line: 1 }),
    ),
    { path: 'bin/cart.js', match: 'suffix' },
  )
})

test('paths of Windows do not tell cases apart; elsewhere another case is the last resort', async t => {
  t.match(mapOne({ 'Shop.Api/Carts/Cart.cs': CODE }, frame('d:\\a\\1\\s\\shop.api\\carts\\cart.cs')), {
    path: 'Shop.Api/Carts/Cart.cs',
    match: 'suffix',
  })
  t.match(mapOne({ 'src/Cart.py': CODE, 'src/x/cart.py': CODE }, frame('/app/src/x/cart.py')), {
    path: 'src/x/cart.py',
  })
  t.match(mapOne({ 'src/Cart.py': CODE }, frame('/app/src/cart.py')), { path: 'src/Cart.py' })
})

test("an operator's mapping goes before every rule, the longest first; in_app_exclude keeps the file and leaves the frame out", async t => {
  const files = { 'other/cart.py': CODE, 'src/cart.py': CODE, 'lib/kit/a.js': CODE }
  const list = Object.keys(files).map(path => ({ repository: 'shop', path }))
  const mapWith = (
    file: string,
    pathMappings: Array<{ from: string; to: string }>,
    isExcluded?: (path: string) => boolean,
  ) =>
    mapFrames([frame(file)], list, (_, path) => (files as Record<string, string>)[path] ?? null, {
      pathMappings,
      isExcluded,
    })[0]
  t.match(
    mapWith('/app/cart.py', [
      { from: '/', to: 'src' },
      { from: '/app/', to: 'other/' },
    ]),
    { path: 'other/cart.py', match: 'override', why: "the project's path mapping from /app/ to other/" },
  )
  t.match(mapWith('C:\\App\\cart.py', [{ from: 'c:\\app', to: 'other' }]), { path: 'other/cart.py', match: 'override' })
  t.match(mapWith('/x/node_modules/kit/a.js', [{ from: '/x/node_modules', to: 'lib' }]), {
    path: 'lib/kit/a.js',
    match: 'override',
  })
  t.match(mapWith('/application/src/cart.py', [{ from: '/app', to: 'other' }]), {
    path: 'src/cart.py',
    match: 'suffix',
  })
  t.match(
    mapWith('/app/src/cart.py', [{ from: '/app', to: 'gone' }])?.why,
    /leads to gone\/src\/cart\.py, which is not in the index$/,
  )
  t.match(
    mapWith('/app/src/cart.py', [], path => path.startsWith('src/')),
    { path: 'src/cart.py', inProject: false, match: 'suffix', why: /in_app_exclude leaves it out$/ },
  )
})

test('the namespace that a runtime prints tells files of one name apart', async t => {
  const files = {
    'src/Base/Errors/Handler.php':
      '<?php\nnamespace Base\\Errors;\nclass Handler {\n  public function report($e) {\n  }\n}\n',
  }
  t.match(
    mapOne(files, frame('/var/www/app/Errors/Handler.php', { line: 4, function: 'App\\Errors\\Handler->report' })),
    { path: null },
  )
  t.match(
    mapOne(files, frame('/var/www/base/Errors/Handler.php', { line: 4, function: 'Base\\Errors\\Handler->report' })),
    { path: 'src/Base/Errors/Handler.php' },
  )
})

test('the line that is marked is that of the function when the printed one is stale', async t => {
  const text = `${'# licence\n'.repeat(30)}def first():\n    pass\n\n\ndef total(x):\n    return x\n`
  t.match(mapOne({ 'shop/cart.py': text }, frame('/app/shop/cart.py', { line: 12, function: 'total' })), {
    line: 12,
    codeLine: 35,
    why: /the function is not at this line, the function begins at line 35$/,
  })
})

test('time grows with the names compared, not with their texts or with what is made of them', async t => {
  const frames = Array.from({ length: 300 }, (_, index) =>
    frame(`/app/packages/p${index}/sub/index.js`, { index, line: index + 1 }),
  )
  const time = (count: number): number => {
    const files = Array.from({ length: count }, (_, index) => ({
      repository: 'shop',
      path: `pkg${index}/sub/index.js`,
    }))
    const started = processorMs()
    mapFrames(frames, files, () => CODE)
    return processorMs() - started
  }
  time(1000)
  const [one, four] = [time(2500), time(10_000)]
  t.ok(four < 8 * one + 100, `${Math.round(one)} ms, ${Math.round(four)} ms`)
})

test('time does not grow with the files of a name times the frames', async t => {
  const text = Array.from({ length: 3000 }, (_, index) => `def f${index}(a, b):\n    return a + ${index}\n`).join('')
  const files = Array.from({ length: 40 }, (_, index) => ({ repository: 'shop', path: `d${index}/src/big.py` }))
  const time = (count: number): number => {
    const frames = Array.from({ length: count }, (_, index) =>
      frame(`/app/${index}/src/big.py`, {
        index,
        line: index + 1,
        function: `f${index * 3}`,
        sourceText: 'return gone(1)',
      }),
    )
    const started = processorMs()
    mapFrames(frames, files, () => text)
    return processorMs() - started
  }
  time(50)
  const [one, four] = [time(250), time(1000)]
  t.ok(four < 4 * one + 200, `${Math.round(one)} ms, ${Math.round(four)} ms`)
})

test('whatever a trace says, mapping ends, throws nothing and names only files of the index', async t => {
  const files = {
    'src/a.py': CODE,
    'lib/b.js': `${CODE}//# sourceMappingURL=b.js.map`,
    'lib/b.js.map': '{"version":3,"sources":["../src/a.py"],"mappings":";;AAAA,!"}',
    'package.json': '[]',
    'go.mod': 'module ',
    ['__proto__']: CODE,
  }
  const part = fc.oneof(
    fc.constantFrom(
      'src',
      'a.py',
      'b.js',
      'lib',
      'node_modules',
      'site-packages',
      'gems',
      'vendor',
      'pkg',
      'mod',
      'x@v1.0.0',
      '..',
      '...',
      'C:',
      '__proto__',
      'python3.9',
      'registry',
      'dist',
      'go.mod',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const file = fc
    .tuple(
      fc.constantFrom('', '/', 'file:///', 'webpack://', 'C:\\', 'https://h/'),
      fc.array(part, { maxLength: 8 }),
      fc.constantFrom('/', '\\'),
    )
    .map(([start, parts, separator]) => start + parts.join(separator))
  const name = fc.option(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .array(
          fc.constantFrom(
            'a',
            '.',
            '::',
            '<',
            '>',
            '(',
            ')',
            '$',
            'lambda',
            ' in ',
            '->',
            '\\',
            '[as x]',
            '{closure}',
            '#',
          ),
          { maxLength: 12 },
        )
        .map(parts => parts.join('')),
    ),
    { nil: null },
  )
  const one = fc.record({
    file: fc.option(file, { nil: null }),
    function: name,
    line: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null }),
    sourceText: fc.option(fc.string({ maxLength: 20 }), { nil: null }),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), places => {
      const mapped = map(
        files,
        places.map(place => frame(place.file, place)),
      )
      return (
        mapped.length === places.length &&
        mapped.every(
          ({ path, codeLine }) => path === null || (Object.hasOwn(files, path) && (codeLine === null || codeLine >= 1)),
        )
      )
    }),
    { numRuns: runs(500) },
  )
  t.pass('500 traces were mapped')
})
