import { test } from 'tap'
import type { GenerationReader } from '../../src/vecstore/generation-reader.ts'
import { addFiles, finishAndPublish, openTestStore, publish, vectorOf } from './fixture.ts'

const textOf = (i: number, round: number) => `def f${i}(): return common + part_${i % 5} + round_${round}\n`
const QUERIES = [['common'], ['part_3', 'f7'], ['round_0', 'round_2'], ['round_1', 'common', 'f2']]

/** All that a generation says of words, vectors and texts. */
function answersOf(reader: GenerationReader) {
  return {
    words: QUERIES.map(terms =>
      reader
        .searchTerms(new Map(terms.map((term, i) => [term, i + 1])), 30)
        .map(({ repository, path, score, chunkIndex }) => [
          path,
          score,
          reader.chunksOf(repository, path)[chunkIndex]?.text,
        ]),
    ),
    files: QUERIES.map(terms => reader.searchFileTerms(new Map(terms.map(term => [term, 1])), 30)),
    frequencies: ['common', 'round_0', 'round_1', 'round_2', 'f3'].map(reader.documentFrequency),
    vectors: reader.searchVectors(vectorOf('x'), 30).map(({ path, score }) => [path, score]),
    quoted: reader.filesHolding('common + part_3 + round')?.map(({ path }) => path),
  }
}

for (const exactBelow of [0, 5_000]) {
  test(
    'generations that are open at once in one thread share segments, and each answers as if it were alone ' +
      `(${exactBelow === 0 ? 'graph' : 'exact'})`,
    async t => {
      const root = t.testdir()
      const builds = openTestStore(root, { exactBelow })
      const shared = openTestStore(root, { exactBelow })
      await using open = new AsyncDisposableStack()
      const readers: Array<{ reader: GenerationReader; alone: ReturnType<typeof answersOf> }> = []
      await publish(
        builds,
        'shop',
        Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.py`, textOf(i, 0)])),
      )
      for (let round = 1; round < 5; round++) {
        await using fresh = await openTestStore(root, { exactBelow }).openReader('shop')
        readers.push({ reader: open.use(await shared.openReader('shop')), alone: answersOf(fresh) })
        for (const { reader, alone } of readers) t.same(answersOf(reader), alone)
        await using builder = await builds.begin('shop', 'copy')
        for (const i of [round, round + 5]) {
          builder.catalogue.retire('repo', `f${i}.py`)
          await addFiles(builder, { [`f${i}.py`]: textOf(i, round) })
        }
        await finishAndPublish(builder, 20)
      }
      t.equal(
        new Set(readers.map(({ alone }) => JSON.stringify(alone.words))).size,
        readers.length,
        'no two generations say the same',
      )
    },
  )
}
