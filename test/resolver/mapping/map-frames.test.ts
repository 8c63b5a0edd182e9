import fc from 'fast-check'
import { test } from 'tap'
import { mapFrames } from '../../../src/resolver/mapping/map-frames.ts'
import { CODE, frame, map } from './map-one.ts'
import { runs, scaled } from '../../helpers/property-runs.ts'
import { countedPaths } from '../../helpers/counted.ts'

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

test('work grows with the files of a name, not with their square', async t => {
  const frames = Array.from({ length: 300 }, (_, index) =>
    frame(`/app/packages/p${index}/sub/index.js`, { index, line: index + 1 }),
  )
  const pathsRead = (count: number): number => {
    const list = Array.from({ length: count }, (_, index) => ({ repository: 'shop', path: `pkg${index}/sub/index.js` }))
    const { files, reads } = countedPaths(list)
    mapFrames(frames, files, () => CODE)
    return reads()
  }
  const [one, four] = [pathsRead(scaled(2_500)), pathsRead(scaled(10_000))]
  t.ok(four < 5 * one, `${one} paths, ${four} paths`)
})

test('the texts of a name are compared with the frames so often, however many there are', async t => {
  const text = Array.from({ length: 3000 }, (_, index) => `def f${index}(a, b):\n    return a + ${index}\n`).join('')
  const files = Array.from({ length: 40 }, (_, index) => ({ repository: 'shop', path: `d${index}/src/big.py` }))
  const textsRead = (count: number): number => {
    const frames = Array.from({ length: count }, (_, index) =>
      frame(`/app/${index}/src/big.py`, {
        index,
        line: index + 1,
        function: `f${(index * 3) % 3_000}`,
        sourceText: 'return gone(1)',
      }),
    )
    let reads = 0
    mapFrames(frames, files, () => {
      reads++
      return text
    })
    return reads
  }
  for (const frames of [250, 500, 1_000]) t.ok(frames * textsRead(frames) <= 6_000, `${frames} frames`)
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
