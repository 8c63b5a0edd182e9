import { SourceMap } from 'node:module'
import fc from 'fast-check'
import { test } from 'tap'
import { readSourceMap, sourceMapOf } from '../../../src/resolver/mapping/source-map.ts'
import { runs, scaled } from '../../helpers/property-runs.ts'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS.charAt(rest > 0 ? digit | 32 : digit)
  } while (rest > 0)
  return text
}

const originalPlace = (map: string, line: number, column: number | null) =>
  readSourceMap(map)?.placeOf(line, column) ?? null

interface Segment {
  column: number
  source: number
  line: number
}

/** The `mappings` of lines of segments, whose columns grow within a line. */
function mappingsOf(lines: Segment[][]): string {
  let source = 0
  let line = 0
  return lines
    .map(segments => {
      let column = 0
      return segments
        .map(segment => {
          const text =
            encode(segment.column - column) + encode(segment.source - source) + encode(segment.line - line) + encode(0)
          ;({ column, source, line } = segment)
          return text
        })
        .join(',')
    })
    .join(';')
}

test("places are those that Node's own reader of source maps finds", async t => {
  const segments = fc
    .uniqueArray(fc.record({ column: fc.nat(5000), source: fc.nat(2), line: fc.nat(70_000) }), {
      selector: ({ column }) => column,
      minLength: 1,
      maxLength: 6,
    })
    .map(list => list.sort((a, b) => a.column - b.column))
  fc.assert(
    fc.property(fc.array(segments, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(6000), (lines, which, column) => {
      const line = which % lines.length
      const payload = {
        version: 3,
        file: 'x.js',
        names: [],
        sources: ['a.ts', 'b.ts', 'c.ts'],
        sourcesContent: [],
        sourceRoot: '',
        mappings: mappingsOf(lines),
      }
      const entry = new SourceMap(payload).findEntry(line, column)
      const first = lines[line]?.[0]?.column ?? 0
      const found = originalPlace(JSON.stringify(payload), line + 1, column + 1)
      if (column < first) return found === null // Node answers with a place of the line before
      return 'originalLine' in entry && found?.line === entry.originalLine + 1 && found.source === entry.originalSource
    }),
    { numRuns: runs(300) },
  )
  t.pass('300 maps were read')
})

test('without a column the first place of the line counts', async t => {
  const map = JSON.stringify({
    version: 3,
    sources: ['a.ts'],
    sourceRoot: '../src/',
    mappings: mappingsOf([
      [],
      [
        { column: 4, source: 0, line: 8 },
        { column: 9, source: 0, line: 20 },
      ],
    ]),
  })
  t.same(originalPlace(map, 2, null), { source: '../src/a.ts', line: 9, column: 1, text: null })
  t.equal(originalPlace(map, 1, null), null)
  t.equal(originalPlace(map, 9, 1), null)
})

test('what is no map maps nothing', async t => {
  for (const map of [
    '',
    '{',
    '[]',
    'null',
    '{"mappings":1,"sources":[]}',
    '{"mappings":"AAAA","sources":[]}',
    '{"mappings":"!!","sources":["a"]}',
    '{"mappings":"gggggggggggg","sources":["a"]}',
    '{"mappings":"AAAA","sources":[7]}',
    '{"sections":[null,7,{},{"offset":{}}]}',
    '{"mappings":"ggggggggggggggA","sources":["a"]}',
  ]) {
    t.equal(originalPlace(map, 1, 1), null, map)
  }
})

test('a compiled file names its map at its end, or holds it', async t => {
  t.same(sourceMapOf('x()\n//# sourceMappingURL=x.js.map\n'), { url: 'x.js.map' })
  t.same(sourceMapOf('x()\n/*# sourceMappingURL=x.css.map*/'), { url: 'x.css.map' })
  t.same(
    sourceMapOf(
      'x()\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,' +
        `${Buffer.from('{"a":1}').toString('base64')}`,
    ),
    { map: '{"a":1}' },
  )
  t.equal(sourceMapOf('x()'), null)
  t.equal(sourceMapOf('const s = "sourceMappingURL="'), null)
})

test('mappings count up to the first that is damaged', async t => {
  const map = JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA;AACA;A!AA;AACA' })
  t.same(
    [1, 2, 3, 4].map(line => originalPlace(map, line, 1)?.line ?? null),
    [1, 2, null, null],
  )
})

test('code that comes from no source has no place', async t => {
  const map = readSourceMap(JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA,I,IAEA' }))
  t.same(
    [1, 5, 9].map(column => map?.placeOf(1, column)?.line ?? null),
    [1, null, 3],
  )
  t.equal(
    readSourceMap(JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'A,IAEA' }))?.placeOf(1, null)?.line,
    3,
  )
})

test('the line of the source is told where the map holds it', async t => {
  const map = (content: unknown) =>
    readSourceMap(
      JSON.stringify({ version: 3, sources: ['a.ts'], sourcesContent: [content], mappings: 'AAEA' }),
    )?.placeOf(1, 1)?.text
  t.equal(map('a\nb\n  c()  \nd'), 'c()')
  t.equal(map('a\nb\nc'), 'c')
  for (const content of ['a\nb', 'a\nb\n\n', null, 7, `a\nb\n${'x'.repeat(501)}`]) t.equal(map(content), null)
})

test('a map of sections is read section by section', async t => {
  const part = (source: string, mappings: string) => ({ version: 3, sources: [source], mappings })
  const map = readSourceMap(
    JSON.stringify({
      version: 3,
      sections: [
        { offset: { line: 0, column: 0 }, map: part('a.ts', 'AAAA;AAEA') },
        { offset: { line: 1, column: 10 }, map: part('b.ts', 'AAIA;AACA') },
      ],
    }),
  )
  const at = (line: number, column: number | null) => {
    const place = map?.placeOf(line, column)
    return place === null || place === undefined ? null : `${place.source}:${place.line}`
  }
  t.same(
    [at(1, 1), at(2, 5), at(2, 11), at(3, 1), at(3, null), at(4, 1)],
    ['a.ts:1', 'a.ts:3', 'b.ts:5', 'b.ts:6', 'b.ts:6', null],
  )
})

test('a map is read once for any number of places', async t => {
  const map = readSourceMap(
    JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA,' + 'CACA,'.repeat(scaled(2_000_000)) + 'CACA' }),
  )
  let wrong = 0
  for (let column = 1; column <= 100_000; column++) if (map?.placeOf(1, column)?.line !== column) wrong++
  t.equal(wrong, 0)
  t.equal(readSourceMap('x'.repeat(17_000_000)), null)
})
