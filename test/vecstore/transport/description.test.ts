import { test } from 'tap'
import fc from 'fast-check'
import {
  decodeDescription,
  encodeDescription,
  MAX_PIECE_BYTES,
  piecesOf,
  sparePiecesOf,
  withoutRecipes,
  type GenerationDescription,
} from '../../../src/vecstore/transport/description.ts'
import { runs } from '../../helpers/property-runs.ts'

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex'))

const recipe = fc.record({
  name: fc.string(),
  parts: fc.array(fc.record({ sha256: digest, bytes: fc.integer({ min: 1, max: MAX_PIECE_BYTES }) }), { maxLength: 5 }),
})

const fileAt = (path: string) =>
  fc
    .record({
      sha256: digest,
      pieceBytes: fc.integer({ min: 1, max: 99 }),
      digests: fc.array(digest, { maxLength: 5 }),
    })
    .chain(({ sha256, pieceBytes, digests }) =>
      fc.integer({ min: 1, max: pieceBytes }).map(last => {
        const pieces = (digests.length === 1 ? [sha256] : digests).map((digest, i) => ({
          sha256: digest,
          bytes: i === digests.length - 1 ? last : pieceBytes,
        }))
        return { path, sha256, pieces, bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0) }
      }),
    )
    .chain(file => fc.option(recipe).map(recipe => ({ ...file, recipe })))

const described: fc.Arbitrary<GenerationDescription> = fc.record({
  generation: fc.nat(),
  files: fc.tuple(...['manifest.json', 'catalogue.sqlite', 'segments/000001.lexical', 'fit.bin'].map(fileAt)),
})

test('a description is read as it was written', async t => {
  fc.assert(
    fc.property(described, description => {
      t.same(decodeDescription('/x/shop', encodeDescription(description)), description)
    }),
    { numRuns: runs(500) },
  )
})

const one = (letter: string) => ({ sha256: letter.repeat(64), bytes: 5 })

test('bytes of any kind are a description or refused, and what is read is within bounds', async t => {
  const valid = encodeDescription({
    generation: 7,
    files: [
      { path: 'manifest.json', ...one('a'), pieces: [one('a')], recipe: { name: 'x-1', parts: [one('b'), one('c')] } },
    ],
  })
  fc.assert(
    fc.property(fc.nat(valid.length - 1), fc.uint8Array({ maxLength: 9 }), (at, bytes) => {
      const changed = Buffer.concat([valid.subarray(0, at), bytes, valid.subarray(at + bytes.length)])
      try {
        for (const { path, pieces, recipe } of decodeDescription('/x/shop', changed).files) {
          t.notMatch(path, /\.\.|^\//)
          for (const { sha256, bytes } of [...pieces, ...(recipe?.parts ?? [])]) {
            t.match(sha256, /^[0-9a-f]{64}$/)
            t.ok(bytes > 0 && bytes <= MAX_PIECE_BYTES)
          }
        }
      } catch (error) {
        t.match(error, { code: 'INDEX_INCOMPATIBLE' })
      }
    }),
    { numRuns: runs(2_000) },
  )
})

const MANIFEST = { path: 'manifest.json', bytes: 5, sha256: 'a'.repeat(64), piece_bytes: 5, pieces: null }
const CATALOGUE = {
  path: 'catalogue.sqlite',
  bytes: 12,
  sha256: 'b'.repeat(64),
  piece_bytes: 5,
  pieces: Buffer.alloc(96, 1).toString('base64'),
}
const jsonOf = (...files: unknown[]) =>
  Buffer.from(JSON.stringify({ format: 1, generation: 3, files: [MANIFEST, ...files] }))

test('what is not whole, or leads out of the folder, is refused', async t => {
  t.equal(decodeDescription('/x/shop', jsonOf(CATALOGUE)).files[1]?.pieces.at(-1)?.bytes, 2)
  const wrong: Record<string, unknown> = {
    'a path upwards': { ...CATALOGUE, path: '../catalogue.sqlite' },
    'an absolute path': { ...CATALOGUE, path: '/etc/passwd' },
    'a path with a second line': { ...CATALOGUE, path: 'fit.bin\n' },
    'a file that no generation has': { ...CATALOGUE, path: 'segments/../../CURRENT' },
    'a path of numbers': { ...CATALOGUE, path: 1 },
    'the manifest once more': MANIFEST,
    'too few pieces': { ...CATALOGUE, bytes: 16 },
    'too many pieces': { ...CATALOGUE, bytes: 10 },
    'a broken digest': { ...CATALOGUE, pieces: Buffer.alloc(95).toString('base64') },
    'one piece smaller than the file': { ...CATALOGUE, pieces: null },
    'several pieces of nothing': { ...CATALOGUE, bytes: 0, piece_bytes: 0 },
    'a piece that is too large': {
      ...CATALOGUE,
      bytes: MAX_PIECE_BYTES + 1,
      piece_bytes: MAX_PIECE_BYTES + 1,
      pieces: null,
    },
    'a size that is no number': { ...CATALOGUE, bytes: '12' },
    'a negative size': { ...CATALOGUE, bytes: -1 },
    'a digest that is none': { ...CATALOGUE, sha256: 'b' },
    'no object': null,
  }
  for (const [what, file] of Object.entries(wrong)) {
    t.throws(() => decodeDescription('/x/shop', jsonOf(file)), { code: 'INDEX_INCOMPATIBLE', message: /shop/ }, what)
  }
  for (const text of ['', '[]', 'null', '{"format":1}', '{"format":1,"generation":3,"files":[]}', '{']) {
    t.throws(() => decodeDescription('/x/shop', Buffer.from(text)), { code: 'INDEX_INCOMPATIBLE' }, text)
  }
  const first = Buffer.from(JSON.stringify({ format: 1, generation: 3, files: [CATALOGUE, MANIFEST] }))
  t.throws(() => decodeDescription('/x/shop', first), /damaged/, 'the manifest stands first')
  const newer = Buffer.from(JSON.stringify({ format: 2, generation: 3, files: [MANIFEST] }))
  t.throws(() => decodeDescription('/x/shop', newer), /format 2; this release reads 1/)
})

test('a recipe that is not whole is none, as the file has its pieces', async t => {
  const recipe = { name: 'x-1', bytes: [3, 4], parts: Buffer.alloc(64, 2).toString('base64') }
  const recipeOf = (recipe: unknown) => decodeDescription('/x/shop', jsonOf({ ...CATALOGUE, recipe })).files[1]?.recipe
  t.same(
    recipeOf(recipe)?.parts,
    [3, 4].map(bytes => ({ sha256: '02'.repeat(32), bytes })),
  )
  t.same(recipeOf({ ...recipe, bytes: [], parts: '' }), { name: 'x-1', parts: [] }, 'some need no part')
  const wrong: unknown[] = [
    ...['x', 7, [], null, {}],
    ...[
      { ...recipe, name: 1 },
      { ...recipe, bytes: 7 },
      { ...recipe, bytes: [7] },
      { ...recipe, bytes: [3, 0] },
    ],
    ...[
      { ...recipe, bytes: [3, MAX_PIECE_BYTES + 1] },
      { ...recipe, bytes: ['3', 4] },
      { ...recipe, parts: null },
    ],
  ]
  for (const one of wrong) t.equal(recipeOf(one), null, JSON.stringify(one))
})

test('what a recipe needs is sent, and what it makes is spare, unless something else needs it', async t => {
  const recipe = { name: 'x-1', parts: [one('d'), one('a')] }
  const description: GenerationDescription = {
    generation: 1,
    files: [
      { path: 'manifest.json', ...one('a'), pieces: [one('a')], recipe: null },
      { path: 'fit.bin', sha256: 'c'.repeat(64), bytes: 15, pieces: [one('b'), one('a'), one('b')], recipe },
    ],
  }
  t.same([...piecesOf(description).values()], [one('a'), one('d')])
  t.same([...sparePiecesOf(description).values()], [one('b')])
  const older = withoutRecipes(description)
  t.same([...piecesOf(older).values()], [one('a'), one('b')])
  t.equal(sparePiecesOf(older).size, 0)
  const said = (of: GenerationDescription) => JSON.parse(Buffer.from(encodeDescription(of)).toString())
  const [manifest, { recipe: hidden, ...fit }] = said(description).files
  t.ok(hidden)
  t.same(said(older), { format: 1, generation: 1, files: [manifest, fit] }, 'a release before reads just this of both')
})

test('every piece counts once, whatever files it is part of', async t => {
  const pieces = piecesOf({
    generation: 1,
    files: [
      { path: 'manifest.json', ...one('a'), pieces: [one('a')], recipe: null },
      {
        path: 'catalogue.sqlite',
        sha256: 'c'.repeat(64),
        bytes: 15,
        pieces: [one('b'), one('a'), one('b')],
        recipe: null,
      },
    ],
  })
  t.same([...pieces.values()], [one('a'), one('b')])
})
