import { test } from 'tap'
import { numberedFile } from '../../fakes/memory-code-reader.ts'
import { CODE, frame, mapOne, SHORT } from './map-one.ts'

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

test('a library that the repository tracks is there, wherever it was installed', async t => {
  for (const [tracked, file] of [
    ['app/node_modules/left/index.js', '/srv/app/node_modules/left/index.js'],
    ['third/site-packages/left/core.py', '/venv/lib/python3.9/site-packages/left/core.py'],
    ['vendor/bundle/gems/rack-2.0/lib/rack.rb', '/usr/lib/ruby/gems/rack-2.0/lib/rack.rb'],
  ] as const) {
    t.match(mapOne({ [tracked]: CODE }, frame(file)), {
      inProject: true,
      path: tracked,
      match: 'suffix',
      why: `the repository tracks ${tracked}`,
    })
  }
})

const RUN = '\n\n\n\ndef run\n  a\n  b\nend\n'
const RUN_PYTHON = '\n\n\n\ndef run():\n    a\n    b\n'

test("a gem is the project's where a gemspec of any name gives the gem's, also where the file has moved", async t => {
  const path = '/app/vendor/bundle/ruby/2.7.0/gems/puppet-4.10.0/lib/puppet/util.rb'
  const at = frame(path, { line: 6, function: 'run' })
  const gemspec = "Gem::Specification.new do |spec|\n  spec.name = 'puppet'\nend\n"
  t.match(mapOne({ 'lib/puppet/util.rb': RUN, '.gemspec': gemspec }, at), {
    path: 'lib/puppet/util.rb',
    match: 'package',
    inProject: true,
  })
  t.match(mapOne({ 'lib/puppet/misc/util.rb': RUN, 'puppet.gemspec': gemspec }, at), {
    path: 'lib/puppet/misc/util.rb',
    match: 'package',
  })
  t.match(mapOne({ 'lib/puppet/util.rb': RUN, '.gemspec': gemspec.replace('puppet', 'other') }, at), { path: null })
  t.match(mapOne({ 'lib/other/util.rb': SHORT, 'puppet.gemspec': gemspec }, at), { path: null })
})

test("a Python package is the project's where a manifest names it, however the name is written", async t => {
  const at = frame('/venv/lib/python3.9/site-packages/shop_kit/util.py', { line: 6, function: 'run' })
  for (const [manifest, text] of [
    ['pyproject.toml', '[build-system]\nname = "x"\n[project]\nname = "Shop-Kit"\n'],
    ['pyproject.toml', "[tool.poetry]\nname = 'shop.kit'\n"],
    ['setup.cfg', '[metadata]\nname = shop_kit\n'],
    ['setup.py', 'setup(\n    name="shop-kit",\n)\n'],
  ] as const) {
    const files = { 'kit/code/shop_kit/util.py': SHORT, [`kit/${manifest}`]: text }
    t.match(mapOne(files, at), { path: 'kit/code/shop_kit/util.py', match: 'package', inProject: true }, manifest)
  }
  const moved = { 'kit/shop_kit/misc/util.py': RUN_PYTHON, 'kit/setup.cfg': '[metadata]\nname = shop_kit\n' }
  t.match(mapOne(moved, at), { path: 'kit/shop_kit/misc/util.py', match: 'package' })
  t.match(mapOne({ ...moved, 'kit/setup.cfg': '[metadata]\nname = other\n' }, at), { path: null })
})
