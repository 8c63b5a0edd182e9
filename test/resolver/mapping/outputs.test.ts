import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { Frame } from '../../../src/core/frame.ts'
import { mapFrames } from '../../../src/resolver/mapping/map-frames.ts'
import { isOutputFile, withOutputs, type OutputReader } from '../../../src/resolver/mapping/outputs.ts'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'
import { numberedFile } from '../../fakes/memory-code-reader.ts'
import { processorMs } from '../../helpers/processor-time.ts'

type Files = Record<string, string>

interface Build {
  files: Files
  trace: string
}

/** A program of three files as compilers and bundlers really wrote it, with the trace of its crash. */
const SHOP = JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/compiled/shop.json'), 'utf8')) as {
  sources: Files
  builds: Record<string, Build>
}

function frame(file: string, place: Partial<Frame> = {}): Frame {
  return {
    index: 0,
    exception: 0,
    raw: '',
    file,
    line: 1,
    column: 12,
    function: null,
    sourceText: null,
    repeat: 1,
    ...place,
  }
}

/** Maps frames where the commit tracks more than the index holds. */
async function map(
  indexed: Files,
  tracked: Files,
  frames: readonly Frame[],
  options: Parameters<typeof mapFrames>[3] = {},
) {
  const asked: string[] = []
  const all = new Map(Object.entries({ ...indexed, ...tracked }))
  const list = [...all.keys()].filter(path => isOutputFile(path, 1)).map(path => ({ repository: 'shop', path }))
  const reader: OutputReader = {
    list: async () => {
      asked.push('list')
      return list
    },
    read: async (_repository, path) => {
      asked.push(path)
      return all.get(path) ?? null
    },
  }
  const files = Object.keys(indexed).map(path => ({ repository: 'shop', path }))
  const mapped = await withOutputs(
    outputs => mapFrames(frames, files, (_, path) => indexed[path] ?? null, { ...options, outputs }),
    ['shop'],
    reader,
  )
  return { mapped, asked }
}

async function mapOne(indexed: Files, tracked: Files, one: Frame, options?: Parameters<typeof mapFrames>[3]) {
  const {
    mapped: [only],
  } = await map(indexed, tracked, [one], options)
  if (only === undefined) throw new Error('one frame in, one frame out')
  return only
}

const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [folder + path, text]))

/** Line 1 from column 0 is line 1 of the source, from column 10 line 4. */
const mapTo = (source: string, more: object = {}) =>
  JSON.stringify({ version: 3, sources: [source], names: [], mappings: 'AAAA,UAGA', ...more })
const CODE = numberedFile(9)

for (const [tool, { files, trace }] of Object.entries(SHOP.builds)) {
  test(`what ${tool} wrote is mapped to its sources by its source map, although the index has neither`, async t => {
    for (const folder of ['', 'packages/till/']) {
      const { mapped } = await map(below(folder, SHOP.sources), below(folder, files), parseStackTrace(trace).frames)
      const places = mapped
        .filter(({ inProject }) => inProject)
        .map(({ path, codeLine, match }) => `${path}:${codeLine} ${match}`)
      t.same(
        [...new Set(places)],
        ['main.ts:3', 'checkout.ts:12', 'cart.ts:12'].map(place => `${folder}src/${place} source_map`),
      )
    }
  })
}

test("a bundler's own code is not the project's", async t => {
  const build = SHOP.builds.webpack ?? { files: {}, trace: '' }
  const { mapped } = await map(SHOP.sources, build.files, parseStackTrace(build.trace).frames)
  t.match(
    mapped.filter(({ column }) => column === 454),
    [{ inProject: false, path: null, why: /names no source of this project/ }],
  )
})

test('the map that lies beside an indexed file is read', async t => {
  const { mapped, asked } = await map(
    { 'lib/cart.js': 'x()\n//# sourceMappingURL=cart.js.map\n', 'src/cart.ts': CODE },
    { 'lib/cart.js.map': mapTo('../src/cart.ts') },
    [frame('/app/lib/cart.js')],
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
    await mapOne(
      { 'lib/cart.js': 'x()\n', 'src/cart.ts': CODE },
      { 'lib/cart.js.map': mapTo('../src/cart.ts') },
      frame('/app/lib/cart.js'),
    ),
    { path: 'src/cart.ts' },
    'also where nothing names it',
  )
  t.match(
    await mapOne(
      { 'lib/cart.js': 'x()\n//# sourceMappingURL=maps/cart.map.js.map\n', 'src/cart.ts': CODE },
      { 'lib/maps/cart.map.js.map': mapTo('../../src/cart.ts') },
      frame('/app/lib/cart.js'),
    ),
    { path: 'src/cart.ts' },
    'and where it lies elsewhere',
  )
})

test('nothing is listed for a trace without compiled files', async t => {
  for (const file of [
    '/app/src/cart.js',
    '/app/cart.py',
    'node:fs',
    '/app/node_modules/left/dist/index.js',
    '<anonymous>',
  ]) {
    const { asked } = await map({ 'src/cart.js': CODE, 'cart.py': CODE }, {}, [frame(file)])
    t.same(asked, [], file)
  }
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
  t.match(await mapOne(indexed, tracked, frame('https://shop.example.com/assets/app.1a2b3c4d.js?v=3')), found)
  t.match(await mapOne(indexed, tracked, frame('/srv/web/node_modules/kit/dist/index.js')), found)
  t.match(
    await mapOne(indexed, tracked, frame('https://cdn.example.com/static/index.js'), {
      pathMappings: [{ from: '/cdn.example.com/static', to: 'dist' }],
    }),
    { ...found, why: /path mapping/ },
  )
  t.match(
    await mapOne(indexed, tracked, frame('https://other.example.com/x/index.js')),
    { path: null },
    'a name that every project has is not enough',
  )
  t.match(await mapOne(indexed, tracked, frame('/srv/web/node_modules/other/dist/index.js')), {
    path: null,
    inProject: false,
  })
})

test('a source that lies at the path itself goes before a bundle of that name', async t => {
  const files = { 'lib/cart.js': CODE, 'src/other.ts': CODE }
  t.match(
    await mapOne(
      files,
      { 'dist/cart.js': 'x()', 'dist/cart.js.map': mapTo('../src/other.ts') },
      frame('/app/lib/cart.js'),
    ),
    { path: 'lib/cart.js', codeLine: 1 },
  )
  t.match(
    await mapOne(
      files,
      { 'dist/lib/cart.js': 'x()', 'dist/lib/cart.js.map': mapTo('../../src/other.ts') },
      frame('/app/dist/lib/cart.js'),
    ),
    { path: 'src/other.ts' },
  )
})

test('sources are found from another root, but never outside of the index', async t => {
  const sourceOf = async (source: string, more: object = {}, indexed: Files = { 'web/src/cart.ts': CODE }) =>
    (
      await mapOne(
        indexed,
        { 'web/dist/a.min.js': 'x()', 'web/dist/a.min.js.map': mapTo(source, more) },
        frame('/app/web/dist/a.min.js'),
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

test('a bundle of what a compiler wrote leads to the first source; maps that name each other lead nowhere', async t => {
  const indexed = { 'src/cart.ts': CODE }
  const chain = {
    'dist/a.min.js': 'x()',
    'dist/a.min.js.map': JSON.stringify({ version: 3, sources: ['../tmp/a.js'], mappings: 'AAAU' }),
    'tmp/a.js': 'x()',
    'tmp/a.js.map': mapTo('../src/cart.ts'),
  }
  t.match(await mapOne(indexed, chain, frame('/app/dist/a.min.js')), { path: 'src/cart.ts', codeLine: 4 })
  t.match(await mapOne(indexed, { ...chain, 'tmp/a.js.map': mapTo('../dist/a.min.js') }, frame('/app/dist/a.min.js')), {
    path: null,
  })
  t.match(
    await mapOne(
      indexed,
      { 'dist/a.min.js': 'x()', 'dist/a.min.js.map': mapTo('a.min.js') },
      frame('/app/dist/a.min.js'),
    ),
    { path: null },
    'itself',
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
      await mapOne(
        { 'src/cart.ts': CODE },
        { 'dist/a.min.js': 'x()', 'dist/a.min.js.map': text },
        frame('/app/dist/a.min.js'),
      ),
      { path: null, inProject: false },
      text.slice(0, 40),
    )
  }
  t.match(
    await mapOne(
      { 'src/cart.ts': CODE },
      { 'dist/a.min.js': 'x()', 'dist/a.min.js.map': mapTo('../src/cart.ts', { mappings: 'AA//////f' }) },
      frame('/app/dist/a.min.js'),
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
  t.match(await mapOne({ 'src/cart.ts': CODE }, tracked('line 7'), frame('/app/dist/a.min.js')), {
    path: 'src/cart.ts',
    codeLine: 7,
    why: /maps it to line 4, whose code is at line 7 now/,
  })
  t.match(await mapOne({ 'src/cart.ts': CODE }, tracked('gone()'), frame('/app/dist/a.min.js')), {
    path: 'src/cart.ts',
    codeLine: null,
    why: /maps it to line 4, whose code has changed since/,
  })
})

test('few maps are read however many a trace names', async t => {
  const names = Array.from({ length: 300 }, (_, index) => `dist/a${index}.min.js`)
  const { mapped, asked } = await map(
    { 'src/cart.ts': CODE },
    Object.fromEntries(
      names.flatMap(name => [
        [name, 'x()'],
        [`${name}.map`, mapTo('../src/cart.ts')],
      ]),
    ),
    names.map(name => frame(`/app/${name}`)),
  )
  t.ok(asked.length <= 41)
  t.equal(mapped.filter(({ inProject }) => inProject).length, 40)
})

test('many places of bundles whose sources are nowhere cost little', async t => {
  const source = `${'x/'.repeat(60)}gone.ts`
  const folders = Array.from({ length: 40 }, (_, index) => `${'deep/'.repeat(35)}p${index}/dist/`)
  const tracked = Object.fromEntries(
    folders.flatMap(folder => [
      [`${folder}index.js`, 'x()'],
      [`${folder}index.js.map`, mapTo(source)],
    ]),
  )
  const frames = Array.from({ length: 2_000 }, (_, index) => frame(`/app/${index}/dist/index.js`, { column: index }))
  const started = processorMs()
  const { mapped } = await map({ 'src/cart.ts': CODE }, tracked, frames)
  t.ok(processorMs() - started < 5_000)
  t.ok(mapped.every(({ inProject }) => !inProject))
})
