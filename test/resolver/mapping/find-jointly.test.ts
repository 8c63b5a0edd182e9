import { test } from 'tap'
import { CODE, frame, map, mapOne } from './map-one.ts'

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
