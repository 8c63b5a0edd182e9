import { test } from 'tap'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'
import { CODE, compiledFrame, mapTracked, mapOneTracked, mapTo, SHOP } from './map-outputs.ts'

test("a bundler's own code is not the project's", async t => {
  const build = SHOP.builds.webpack ?? { files: {}, trace: '' }
  const { mapped } = await mapTracked(SHOP.sources, build.files, parseStackTrace(build.trace).frames)
  t.match(
    mapped.filter(({ column }) => column === 454),
    [{ inProject: false, path: null, why: /names no source of this project/ }],
  )
})

test("a bundle is found by its hashed name, at a URL, in an installed package, and by the operator's mapping", async t => {
  const indexed = { 'src/cart.ts': CODE, 'package.json': '{"name": "kit"}' }
  const tracked = {
    'dist/app.1a2b3c4d.js': 'x()',
    'dist/app.1a2b3c4d.js.map': mapTo('../src/cart.ts'),
    'dist/index.js': 'x()',
    'dist/index.js.map': mapTo('../src/cart.ts'),
  }
  const found = { path: 'src/cart.ts', codeLine: 4, match: 'source_map', inProject: true }
  t.match(
    await mapOneTracked(indexed, tracked, compiledFrame('https://shop.example.com/assets/app.1a2b3c4d.js?v=3')),
    found,
  )
  t.match(await mapOneTracked(indexed, tracked, compiledFrame('/srv/web/node_modules/kit/dist/index.js')), found)
  t.match(
    await mapOneTracked(indexed, tracked, compiledFrame('https://cdn.example.com/static/index.js'), {
      pathMappings: [{ from: '/cdn.example.com/static', to: 'dist' }],
    }),
    { ...found, why: /path mapping/ },
  )
  t.match(
    await mapOneTracked(indexed, tracked, compiledFrame('https://other.example.com/x/index.js')),
    { path: null },
    'a name that every project has is not enough',
  )
  t.match(await mapOneTracked(indexed, tracked, compiledFrame('/srv/web/node_modules/other/dist/index.js')), {
    path: null,
    inProject: false,
  })
})

test('a source that lies at the path itself goes before a bundle of that name', async t => {
  const files = { 'lib/cart.js': CODE, 'src/other.ts': CODE }
  t.match(
    await mapOneTracked(
      files,
      { 'dist/cart.js': 'x()', 'dist/cart.js.map': mapTo('../src/other.ts') },
      compiledFrame('/app/lib/cart.js'),
    ),
    { path: 'lib/cart.js', codeLine: 1 },
  )
  t.match(
    await mapOneTracked(
      files,
      { 'dist/lib/cart.js': 'x()', 'dist/lib/cart.js.map': mapTo('../../src/other.ts') },
      compiledFrame('/app/dist/lib/cart.js'),
    ),
    { path: 'src/other.ts' },
  )
})

test('a bundle of what a compiler wrote leads to the first source; maps that name each other lead nowhere', async t => {
  const indexed = { 'src/cart.ts': CODE }
  const chain = {
    'dist/a.min.js': 'x()',
    'dist/a.min.js.map': JSON.stringify({ version: 3, sources: ['../tmp/a.js'], mappings: 'AAAU' }),
    'tmp/a.js': 'x()',
    'tmp/a.js.map': mapTo('../src/cart.ts'),
  }
  t.match(await mapOneTracked(indexed, chain, compiledFrame('/app/dist/a.min.js')), {
    path: 'src/cart.ts',
    codeLine: 4,
  })
  t.match(
    await mapOneTracked(
      indexed,
      { ...chain, 'tmp/a.js.map': mapTo('../dist/a.min.js') },
      compiledFrame('/app/dist/a.min.js'),
    ),
    {
      path: null,
    },
  )
  t.match(
    await mapOneTracked(
      indexed,
      { 'dist/a.min.js': 'x()', 'dist/a.min.js.map': mapTo('a.min.js') },
      compiledFrame('/app/dist/a.min.js'),
    ),
    { path: null },
    'itself',
  )
})
