// A process for without-hnsw.test.ts: builds a project that is large enough for HNSW where its second argument says so,
// then prints how it is searched and what it finds.
import { hnswProblem } from '../../src/vecstore/vectors/hnsw-library.ts'
import { addFiles, finishAndPublish, openTestStore, vectorOf } from './fixture.ts'

const [root = '', action] = process.argv.slice(2)
const store = openTestStore(root, { exactBelow: 0 })
if (action === 'build') {
  await using builder = await store.begin('shop', 'empty')
  await addFiles(builder, Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}.py`, `value_${i} = ${i}\n`])))
  await finishAndPublish(builder, 60)
}
if (action === 'build again') {
  await using builder = await store.begin('shop', 'copy')
  await finishAndPublish(builder, 60)
}
const manifest = await store.readManifest('shop')
const state = await store.inspect('shop')
await using reader = await store.openReader('shop')
console.log(
  JSON.stringify({
    hasLibrary: hnswProblem() === null,
    search: store.searchOf(manifest),
    read: reader.vectorSearch,
    isWhole: state.kind === 'whole' && state.vectorsWhole,
    hasGraph: state.kind === 'whole' && state.manifest.checksums.hnsw !== null,
    found: reader.searchVectors(vectorOf('anything'), 10).map(({ path, score }) => `${path} ${score.toFixed(4)}`),
  }),
)
