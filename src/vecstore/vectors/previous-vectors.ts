import { CatalogueReader, contentKeyOf } from '../catalogue/catalogue-reader.ts'
import type { BaseGeneration } from '../format/generation-check.ts'
import { VectorFile } from './vector-file.ts'

function indexOf(catalogue: CatalogueReader, files: readonly VectorFile[]): VectorsByContent {
  const places = new Map<number, { file: VectorFile; row: number }>()
  for (const file of files) for (const [row, id] of file.readIds().entries()) places.set(id, { file, row })
  return {
    firstChunks: new Map(catalogue.files().map(({ record, firstChunk }) => [contentKeyOf(record), firstChunk])),
    places,
  }
}

/**
 * The vectors of the generation that a build starts from. Its files are opened at once, as its folder may go before
 * they are read.
 */
export class PreviousVectors implements Disposable {
  /** The space they lie in. */
  readonly fitId: string
  readonly #open: DisposableStack
  readonly #catalogue: CatalogueReader
  readonly #files: readonly VectorFile[]
  #index: VectorsByContent | null = null

  constructor({ manifest, paths, vectors }: BaseGeneration) {
    this.fitId = manifest.embedding.fitId
    using open = new DisposableStack()
    this.#catalogue = open.use(new CatalogueReader(paths.catalogue))
    this.#files = manifest.segments.flatMap(({ number, vectors: embedded }) =>
      embedded !== null && vectors.segments.has(number) ? [open.use(new VectorFile(paths.embedded(number)))] : [],
    )
    this.#open = open.move()
  }

  /**
   * That of a chunk, by its content (`contentKeyOf`) and its number therein; null where there is none. The first call
   * reads which there are, about 1 ms a thousand.
   */
  find(content: string, chunkIndex: number): Float32Array | null {
    this.#index ??= indexOf(this.#catalogue, this.#files)
    const { firstChunks, places } = this.#index
    const firstChunk = firstChunks.get(content)
    const place = firstChunk === undefined ? undefined : places.get(firstChunk + chunkIndex)
    return place === undefined ? null : place.file.readRow(place.row)
  }

  [Symbol.dispose](): void {
    this.#open.dispose()
  }
}

interface VectorsByContent {
  firstChunks: ReadonlyMap<string, number>
  places: ReadonlyMap<number, { file: VectorFile; row: number }>
}
