import { hash } from 'node:crypto'
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { generationPaths } from '../../../src/vecstore/format/layout.ts'
import type { DescribedFile, Piece } from '../../../src/vecstore/transport/description.ts'
import { LocalPieces } from '../../../src/vecstore/transport/local-pieces.ts'
import type { Recipe } from '../../../src/vecstore/transport/recipes/recipe.ts'
import { makeGeneration } from './made-generation.ts'

const bytesOf = (text: string): Buffer => Buffer.from(text)

function pieceOf(text: string): Piece {
  return { sha256: hash('sha256', text), bytes: text.length }
}

function describedFile(path: string, pieces: readonly string[]): DescribedFile {
  return { path, ...pieceOf(pieces.join('')), pieces: pieces.map(pieceOf), recipe: null }
}

/** A project whose generations have these catalogues. */
async function projectWith(t: { testdir: () => string }, catalogues: readonly string[]): Promise<string> {
  const projectDir = join(t.testdir(), 'shop')
  for (const [at, catalogue] of catalogues.entries()) {
    const files = { lexical: bytesOf(`lexical ${at}`), vectors: null, fit: null, hnsw: null }
    await makeGeneration(projectDir, at + 1, { catalogue: bytesOf(catalogue), ...files })
  }
  return projectDir
}

/** The files below a folder that this process holds open; none where the system does not say. */
const openBelow = (folder: string): string[] =>
  process.platform !== 'linux'
    ? []
    : readdirSync('/proc/self/fd').flatMap(fd => {
        try {
          const path = readlinkSync(`/proc/self/fd/${fd}`)
          return path.startsWith(folder) ? [path] : []
        } catch {
          return []
        }
      })

/** Parts of three bytes each, up to an exclamation mark, which is damage. */
const THREES: Recipe = {
  name: 'threes',
  isWhole: true,
  keptAs: null,
  async *parts(_file, handle) {
    const bytes = await handle.readFile()
    for (let at = 0; at < bytes.length; at += 3) {
      if (bytes[at] === 0x21) throw new RangeError('It is damaged.')
      yield bytes.subarray(at, at + 3)
    }
  },
  async *make() {
    yield* []
  },
}

const textOf = async (local: LocalPieces, text: string): Promise<string | undefined> =>
  (await local.read(hash('sha256', text)))?.toString()

test('pieces of a file are read from what any generation has at their places, the last one be it shorter', async t => {
  const projectDir = await projectWith(t, ['aaaabbbbcc', 'aaaaxxxxcc', 'ddddaaaa'])
  await using local = await LocalPieces.of(projectDir)
  t.equal(await textOf(local, 'aaaa'), undefined, 'nothing was looked for')
  await local.look(describedFile('catalogue.sqlite', ['aaaa', 'bbbb', 'eeee', 'cc']))
  for (const there of ['aaaa', 'bbbb', 'cc']) t.equal(await textOf(local, there), there)
  for (const none of ['eeee', 'xxxx', 'dddd', 'aabb']) t.equal(await textOf(local, none), undefined)
  await local.look(describedFile('hnsw.index', ['aaaa'])) // of which there is none
})

test('for an empty file nothing is looked for, whatever others have under its name', async t => {
  const projectDir = await projectWith(t, ['aaaabbbb'])
  await using local = await LocalPieces.of(projectDir)
  await local.look(describedFile('catalogue.sqlite', []))
  t.equal(await textOf(local, ''), undefined)
})

test('a piece that changed since the look is none', async t => {
  const projectDir = await projectWith(t, ['aaaabbbb'])
  await using local = await LocalPieces.of(projectDir)
  await local.look(describedFile('catalogue.sqlite', ['aaaa', 'bbbb']))
  writeFileSync(generationPaths(projectDir, 1).catalogue, 'aaaabb')
  t.equal(await textOf(local, 'aaaa'), 'aaaa')
  t.equal(await textOf(local, 'bbbb'), undefined, 'it was cut off')
  writeFileSync(generationPaths(projectDir, 1).catalogue, 'zzzzbbbb')
  t.equal(await textOf(local, 'aaaa'), undefined)
})

test('parts are found wherever a file of the kind has them, up to where it is damaged', async t => {
  const projectDir = await projectWith(t, ['aaabbbcc', 'ddd!!!eee'])
  await using local = await LocalPieces.of(projectDir)
  const parts = ['bbb', 'cc', 'ddd', 'eee', 'abb'].map(pieceOf)
  await local.lookByRecipe(describedFile('other.sqlite', []), THREES, parts)
  for (const there of ['bbb', 'cc', 'ddd']) t.equal(await textOf(local, there), there)
  for (const none of ['aaa', 'eee', 'abb']) t.equal(await textOf(local, none), undefined)
})

test('a whole file of the content is found while it is there and as it was', async t => {
  const projectDir = await projectWith(t, ['one', 'two', 'two'])
  await using local = await LocalPieces.of(projectDir)
  const catalogue = (generation: number) => generationPaths(projectDir, generation).catalogue
  t.equal(await local.findFile(pieceOf('one')), catalogue(1))
  t.equal(await local.findFile({ ...pieceOf('one'), bytes: 4 }), null)
  t.equal(await local.findFile(pieceOf('six')), null)
  const found = await local.findFile(pieceOf('two'))
  t.ok(found === catalogue(2) || found === catalogue(3))
  writeFileSync(found ?? '', 'owt')
  const other = found === catalogue(2) ? catalogue(3) : catalogue(2)
  t.equal(await local.findFile(pieceOf('two')), other)
  rmSync(other)
  t.equal(await local.findFile(pieceOf('two')), null)
})

test('what was opened for looks is closed at the end', async t => {
  const projectDir = await projectWith(t, ['aaaabbbb', 'aaaacccc'])
  {
    await using local = await LocalPieces.of(projectDir)
    await local.look(describedFile('catalogue.sqlite', ['aaaa']))
    await local.lookByRecipe(describedFile('catalogue.sqlite', []), THREES, [pieceOf('aaa')])
    await local.findFile(pieceOf('aaaabbbb'))
    if (process.platform === 'linux') t.equal(openBelow(projectDir).length, 4)
  }
  t.same(openBelow(projectDir), [])
})
