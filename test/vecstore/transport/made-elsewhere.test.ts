import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { learnAgain } from '../../../src/embedding/lsa/lsa-sample-file.ts'
import { LSA } from '../../../src/embedding/lsa/lsa.ts'
import { foldingVectors } from '../../../src/services/generation-transport.ts'
import { openStore } from '../../../src/vecstore/store.ts'
import { assembleGeneration, type FetchPiece } from '../../../src/vecstore/transport/assemble-generation.ts'
import {
  decodeDescription,
  encodeDescription,
  piecesOf,
  sparePiecesOf,
  withoutRecipes,
  type GenerationDescription,
} from '../../../src/vecstore/transport/description.ts'
import { describeGeneration } from '../../../src/vecstore/transport/describe-generation.ts'
import type { FoldVectors, LearnAgain } from '../../../src/vecstore/transport/recipes/recipe.ts'
import { NEEDS_HNSW } from '../../helpers/hnsw.ts'
import type { TestRepository } from '../../helpers/git-repository.ts'
import { index, prepare } from '../../indexer/index-fixture.ts'
import { contentsOf } from './made-generation.ts'

const fileText = (i: number, change = ''): string =>
  ['cart', 'user', 'price', 'stock', 'order', 'mail', 'page']
    .flatMap((word, j) => ((i + j) % 3 === 0 ? [`def ${word}_part_${i % 11}(${word}, rate_${(i * j) % 17}):`] : []))
    .concat(`    return compute_${i % 23}(rate_${i % 19}) + shared_${i % 5}${change}`)
    .join('\n')

const files = (from: number, to: number, change?: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`src/f${from + i}.py`, fileText(from + i, change)]))

const learn: LearnAgain = async sample => learnAgain(sample)

/** A project with a learned space and a graph, and a second machine without either. */
async function machines(t: Parameters<typeof prepare>[0]) {
  const { repository, root } = prepare(t, files(0, 150))
  const store = openStore(root, { minFreeBytes: 0, exactBelow: 100 })
  const projectDir = join(root, 'shop')
  const fold = foldingVectors()
  const kept = new Map<string, Buffer>()
  /** What is put: what other machines need, or all. */
  async function put(generation: number, { previous = null, isAll = false }: PutOptions = {}) {
    await using described = await describeGeneration(projectDir, generation, { previous, fold })
    const { description } = described
    const wanted = [...piecesOf(description).keys(), ...(isAll ? sparePiecesOf(description).keys() : [])]
    let bytes = 0
    for (const sha256 of wanted) {
      if (kept.has(sha256)) continue
      const piece = await described.readPiece(sha256)
      kept.set(sha256, piece)
      bytes += piece.length
    }
    return { description: decodeDescription(projectDir, encodeDescription(description)), bytes }
  }
  const fetchPiece: FetchPiece = async ({ sha256 }) => {
    const piece = kept.get(sha256)
    if (piece === undefined) throw new Error('it is not there')
    return piece
  }
  const otherDir = join(root, '..', 'other', 'shop')
  mkdirSync(otherDir, { recursive: true })
  const build = async () => (await index(store, repository, { learned: LSA })).generation
  return { repository, build, put, fetchPiece, kept, fold, projectDir, otherDir }
}

interface PutOptions {
  previous?: GenerationDescription | null
  isAll?: boolean
}

const recipesOf = ({ files }: GenerationDescription): Array<string | undefined> =>
  files.map(({ recipe }) => recipe?.name).filter(name => name !== undefined)

/** Generations that are published; a project that was made has its settings as well. */
const generationsIn = (folder: string) =>
  new Map([...contentsOf(folder)].filter(([path]) => /^\d/.test(path) && !path.endsWith('fit.sample')))

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [generationsIn(one), generationsIn(other)]
  return a.size === b.size && [...a].every(([path, bytes]) => b.get(path)?.equals(bytes))
}

const change = (repository: TestRepository, round: number): void => {
  repository.commit(files(round * 5, round * 5 + 7, `\n# round ${round}`))
}

test('an index with a learned space and a graph is made elsewhere, commit by commit', NEEDS_HNSW, async t => {
  const m = await machines(t)
  const { description, bytes } = await m.put(await m.build())
  t.same(recipesOf(description), ['postings-1', 'folded-1', 'learned-1', 'graph-1'])
  const all = description.files.reduce((sum, file) => sum + file.bytes, 0)
  const vectorBytes = description.files.find(({ path }) => path.endsWith('.vectors'))?.bytes ?? 0
  t.ok(bytes < all - 2 * vectorBytes, `${bytes} of ${all} bytes`)
  await assembleGeneration(m.otherDir, description, m.fetchPiece, { fold: m.fold, learn })
  t.ok(isSame(m.otherDir, m.projectDir))
  let previous = description
  let staleGraphs = 0
  for (let round = 1; round <= 12; round++) {
    change(m.repository, round)
    const generation = await m.build()
    const next = await m.put(generation, { previous })
    await using alone = await describeGeneration(m.projectDir, generation, { fold: m.fold })
    t.same(alone.description, next.description, 'it matters not what was described before')
    await assembleGeneration(m.otherDir, next.description, m.fetchPiece, { fold: m.fold, learn })
    t.ok(isSame(m.otherDir, m.projectDir), `round ${round}`)
    const fresh = join(m.otherDir, '..', `fresh-${round}`)
    mkdirSync(fresh)
    await assembleGeneration(fresh, next.description, m.fetchPiece, { fold: m.fold, learn })
    t.ok(isSame(fresh, m.projectDir), `round ${round}, where there was nothing`)
    const [graph, before] = [next.description, previous].map(({ files }) =>
      files.find(({ path }) => path === 'vectors.hnsw'),
    )
    if (graph?.sha256 === before?.sha256 && graph?.recipe !== before?.recipe) staleGraphs++
    previous = next.description
  }
  t.ok(staleGraphs > 0, 'a graph outlived segments that it was built of')
})

test('who cannot make a file asks for its pieces; who knows no recipes, too', NEEDS_HNSW, async t => {
  const m = await machines(t)
  const generation = await m.build()
  const { description } = await m.put(generation)
  const others: Record<string, FoldVectors | null> = {
    'a machine without this space': null,
    'one whose vectors are others': (fit, rows) => {
      const { dimensions, vectors } = m.fold(fit, rows)
      return { dimensions, vectors: vectors.map(value => value * (1 + 2 ** -20)) }
    },
    'one that knows another format of it': () => {
      throw new RangeError('This is no fit.')
    },
  }
  const older = withoutRecipes(description)
  const renamed = {
    generation,
    files: description.files.map(file => ({ ...file, recipe: file.recipe && { ...file.recipe, name: 'other-9' } })),
  }
  const misled = {
    generation,
    files: description.files.map(file => ({ ...file, recipe: file.recipe && { ...file.recipe, parts: [] } })),
  }
  const isRefused = (given: GenerationDescription, fold: FoldVectors | null) =>
    t.rejects(assembleGeneration(m.otherDir, given, m.fetchPiece, { fold, learn }), /not there/)
  for (const fold of Object.values(others)) await isRefused(description, fold)
  for (const given of [older, renamed, misled]) await isRefused(given, m.fold)
  t.same([...contentsOf(m.otherDir)], [], 'nothing is left of what was begun')
  await m.put(generation, { isAll: true })
  const cases = [
    ...Object.entries(others).map(([what, fold]) => ({ what, given: description, fold })),
    { what: 'a release before', given: older, fold: m.fold },
    { what: 'a release with other recipes', given: renamed, fold: m.fold },
    { what: 'a description that errs', given: misled, fold: m.fold },
  ]
  for (const { what, given, fold } of cases) {
    const folder = join(m.otherDir, '..', what.replaceAll(' ', '-'))
    mkdirSync(folder)
    await assembleGeneration(folder, given, m.fetchPiece, { fold, learn })
    t.ok(isSame(folder, m.projectDir), what)
  }
})

test('vectors that nobody can make anew travel as rows', async t => {
  const m = await machines(t)
  const generation = await m.build()
  await using described = await describeGeneration(m.projectDir, generation)
  const { description } = described
  t.same(recipesOf(description).includes('rows-1'), true)
  for (const sha256 of piecesOf(description).keys()) m.kept.set(sha256, await described.readPiece(sha256))
  await assembleGeneration(m.otherDir, description, m.fetchPiece, { learn })
  t.ok(isSame(m.otherDir, m.projectDir))
})

const sampleIn = (projectDir: string): Buffer | undefined =>
  [...contentsOf(projectDir)].find(([path]) => path.endsWith('fit.sample'))?.[1]

test('a space is learned again from its sample, which stays beside it from one generation to the next', async t => {
  const m = await machines(t)
  const first = await m.put(await m.build())
  const fit = first.description.files.find(({ path }) => path === 'fit.bin')
  const [sample, ...more] = fit?.recipe?.parts ?? []
  t.same(more, [])
  t.ok((sample?.bytes ?? Infinity) * 4 < (fit?.bytes ?? 0))
  const refuses = (what: LearnAgain | null) =>
    t.rejects(
      assembleGeneration(m.otherDir, first.description, m.fetchPiece, { fold: m.fold, learn: what }),
      /not there/,
    )
  await refuses(null)
  await refuses(async () => Buffer.from('another space'))
  await refuses(async () => {
    throw new RangeError('This is no sample.')
  })
  await assembleGeneration(m.otherDir, first.description, m.fetchPiece, { fold: m.fold, learn })
  t.same(sampleIn(m.otherDir), sampleIn(m.projectDir))

  change(m.repository, 1)
  const second = await m.put(await m.build())
  t.same(second.description.files.find(({ path }) => path === 'fit.bin')?.recipe, fit?.recipe)
  const unasked: LearnAgain = () => Promise.reject(new Error('it is there'))
  await assembleGeneration(m.otherDir, second.description, m.fetchPiece, { fold: m.fold, learn: unasked })
  t.same(sampleIn(m.otherDir), sampleIn(m.projectDir), 'the fit was linked, and the sample with it')
  rmSync(join(m.otherDir, '000002', 'fit.sample'))
  change(m.repository, 2)
  const third = await m.put(await m.build())
  await assembleGeneration(m.otherDir, third.description, m.fetchPiece, { fold: m.fold, learn: unasked })
  t.same(sampleIn(m.otherDir), sampleIn(m.projectDir), 'as after a release that did not keep it')
  t.ok(isSame(m.otherDir, m.projectDir))
})

test('a space whose sample is gone, or is of another one, travels whole', async t => {
  const m = await machines(t)
  const generation = await m.build()
  const path = join(m.projectDir, String(generation).padStart(6, '0'), 'fit.sample')
  const sample = readFileSync(path)
  for (const change of [() => writeFileSync(path, sample.with(64, 0xff ^ (sample[64] ?? 0))), () => rmSync(path)]) {
    change()
    t.notOk(recipesOf((await m.put(generation)).description).includes('learned-1'))
  }
})
