import { test } from 'tap'
import { numberedFile } from '../../fakes/memory-code-reader.ts'
import { frame, mapOne } from './map-one.ts'
import { CODE, type Files, compiledFrame, mapTracked, mapOneTracked, mapTo } from './map-outputs.ts'

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

test('the map that lies beside an indexed file is read', async t => {
  const { mapped, asked } = await mapTracked(
    { 'lib/cart.js': 'x()\n//# sourceMappingURL=cart.js.map\n', 'src/cart.ts': CODE },
    { 'lib/cart.js.map': mapTo('../src/cart.ts') },
    [compiledFrame('/app/lib/cart.js')],
  )
  t.match(mapped, [
    {
      path: 'src/cart.ts',
      codeLine: 4,
      line: 1,
      match: 'source_map',
      why: '/app/ is the top of the repository; lib/cart.js.map maps it to line 4',
    },
  ])
  t.same(asked, ['list', 'lib/cart.js.map'])
  t.match(
    await mapOneTracked(
      { 'lib/cart.js': 'x()\n', 'src/cart.ts': CODE },
      { 'lib/cart.js.map': mapTo('../src/cart.ts') },
      compiledFrame('/app/lib/cart.js'),
    ),
    { path: 'src/cart.ts' },
    'also where nothing names it',
  )
  t.match(
    await mapOneTracked(
      { 'lib/cart.js': 'x()\n//# sourceMappingURL=maps/cart.map.js.map\n', 'src/cart.ts': CODE },
      { 'lib/maps/cart.map.js.map': mapTo('../../src/cart.ts') },
      compiledFrame('/app/lib/cart.js'),
    ),
    { path: 'src/cart.ts' },
    'and where it lies elsewhere',
  )
})

test('sources are found from another root, but never outside of the index', async t => {
  const sourceOf = async (source: string, more: object = {}, indexed: Files = { 'web/src/cart.ts': CODE }) =>
    (
      await mapOneTracked(
        indexed,
        { 'web/dist/a.min.js': 'x()', 'web/dist/a.min.js.map': mapTo(source, more) },
        compiledFrame('/app/web/dist/a.min.js'),
      )
    ).path
  for (const source of [
    '../src/cart.ts',
    'webpack://web/./src/cart.ts',
    'webpack:///./src/cart.ts?1a2b',
    'webpack:///src/cart.ts',
    '/home/ci/work/shop/web/src/cart.ts',
    'file:///C:/work/web/src/cart.ts',
    'C:\\work\\web\\src\\cart.ts',
    '../../../elsewhere/web/src/cart.ts',
    'turbopack:///[project]/web/src/cart.ts',
    'ng://web/src/cart.ts',
  ]) {
    t.equal(await sourceOf(source), 'web/src/cart.ts', source)
  }
  t.equal(await sourceOf('src/cart.ts', { sourceRoot: '/home/ci/web/' }), 'web/src/cart.ts')
  const hostile = [
    '/etc/passwd',
    '../../../../../../etc/passwd',
    'file:///etc/passwd',
    'https://169.254.169.254/latest',
    'cart.ts',
    '../../../cart.ts',
    '',
    '..',
    '/',
    '\0',
    '__proto__',
    'a/'.repeat(50_000) + 'cart.ts',
    '../'.repeat(50_000) + 'x.ts',
    'webpack://x/./node_modules/kit/src/cart.ts',
    '../node_modules/kit/web/src/cart.ts',
  ]
  for (const source of hostile) t.equal(await sourceOf(source), null, source.slice(0, 60))
  t.equal(
    await sourceOf('../../etc/passwd', {}, { 'etc/passwd': CODE }),
    'etc/passwd',
    'a name of the index is only that',
  )
})

test('maps that are damaged map nothing', async t => {
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '{"version":3}',
    mapTo('../src/cart.ts', { mappings: '!!!' }),
    mapTo('../src/cart.ts', { mappings: 'gggggggg' }),
    mapTo('../src/cart.ts', { sources: [] }),
    mapTo('../src/cart.ts', { mappings: 'AADA' }),
    '['.repeat(100_000),
  ]) {
    t.match(
      await mapOneTracked(
        { 'src/cart.ts': CODE },
        { 'dist/a.min.js': 'x()', 'dist/a.min.js.map': text },
        compiledFrame('/app/dist/a.min.js'),
      ),
      { path: null, inProject: false },
      text.slice(0, 40),
    )
  }
  t.match(
    await mapOneTracked(
      { 'src/cart.ts': CODE },
      { 'dist/a.min.js': 'x()', 'dist/a.min.js.map': mapTo('../src/cart.ts', { mappings: 'AA//////f' }) },
      compiledFrame('/app/dist/a.min.js'),
    ),
    { codeLine: null },
    'a line that no file has',
  )
})

test('where the source has changed since, its line is looked for', async t => {
  const tracked = (line: string) => ({
    'dist/a.min.js': 'x()',
    'dist/a.min.js.map': mapTo('../src/cart.ts', { sourcesContent: [`a\nb\nc\n${line}\n`] }),
  })
  t.match(await mapOneTracked({ 'src/cart.ts': CODE }, tracked('line 7'), compiledFrame('/app/dist/a.min.js')), {
    path: 'src/cart.ts',
    codeLine: 7,
    why: /maps it to line 4, whose code is at line 7 now/,
  })
  t.match(await mapOneTracked({ 'src/cart.ts': CODE }, tracked('gone()'), compiledFrame('/app/dist/a.min.js')), {
    path: 'src/cart.ts',
    codeLine: null,
    why: /maps it to line 4, whose code has changed since/,
  })
})

test('few maps are read however many a trace names', async t => {
  const names = Array.from({ length: 300 }, (_, index) => `dist/a${index}.min.js`)
  const { mapped, asked } = await mapTracked(
    { 'src/cart.ts': CODE },
    Object.fromEntries(
      names.flatMap(name => [
        [name, 'x()'],
        [`${name}.map`, mapTo('../src/cart.ts')],
      ]),
    ),
    names.map(name => compiledFrame(`/app/${name}`)),
  )
  t.ok(asked.length <= 41)
  t.equal(mapped.filter(({ inProject }) => inProject).length, 40)
})

test('of many places of bundles whose sources are nowhere few are looked for', async t => {
  const source = `${'x/'.repeat(60)}gone.ts`
  const folders = Array.from({ length: 40 }, (_, index) => `${'deep/'.repeat(35)}p${index}/dist/`)
  const tracked = Object.fromEntries(
    folders.flatMap(folder => [
      [`${folder}index.js`, 'x()'],
      [`${folder}index.js.map`, mapTo(source)],
    ]),
  )
  const frames = Array.from({ length: 2_000 }, (_, index) =>
    compiledFrame(`/app/${index}/dist/index.js`, { column: index }),
  )
  const { mapped, asked } = await mapTracked({ 'src/cart.ts': CODE }, tracked, frames)
  t.ok(asked.length <= 10, `${asked.length} were asked for`)
  t.ok(mapped.every(({ inProject }) => !inProject))
})
