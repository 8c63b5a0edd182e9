import { diskFull } from '../format/full-disk.ts'
import { isSoundHnswFile } from './hnsw-file.ts'
import { hnswProblem, newGraph, type HnswGraph } from './hnsw-library.ts'

const LINKS = 16
const EF_CONSTRUCTION = 100
/** Finds 99 % of the true neighbours in learned spaces (bench/vecstore-search.bench.ts). */
const EF_SEARCH = 128

/** A vector near to a query, by its id. */
export interface Neighbour {
  id: number
  innerProduct: number
}

/** Labels are ids of 32 bits in all files of an index. */
const MAX_ID = 0xffff_ffff

/** Nearest first, ties by id, so that an answer does not depend on the order of building. */
export function byNearness(a: Neighbour, b: Neighbour): number {
  return b.innerProduct - a.innerProduct || a.id - b.id
}

/**
 * An HNSW index of unit vectors by inner product. hnswlib checks next to nothing: it takes NaN, vectors of another
 * dimension and a label twice, and a file with a wrong number in it ends the process. So whatever goes in is checked
 * here, files number by number. All but `write` blocks the thread: adding costs about 0.08 ms a vector of 128
 * dimensions.
 */
export class VectorIndex implements Disposable {
  readonly dimensions: number
  readonly #graph: HnswGraph
  #live: number

  private constructor(dimensions: number, graph: HnswGraph, live: number) {
    this.dimensions = dimensions
    this.#graph = graph
    this.#live = live
  }

  /** @throws {Error} Where hnswlib-node is not installed: `isScanned` says so before. */
  static create(dimensions: number, capacity: number): VectorIndex {
    const graph = newGraph(dimensions)
    graph.initIndex(Math.max(1, capacity), LINKS, EF_CONSTRUCTION)
    return new VectorIndex(dimensions, graph, 0)
  }

  /**
   * Null when the file is missing, damaged, or holds other vectors than the caller says, and where hnswlib-node is not
   * installed. About 2 ms a megabyte.
   */
  static read(path: string, expected: { dimensions: number; elements: number }): VectorIndex | null {
    if (hnswProblem() !== null) return null
    const graph = newGraph(expected.dimensions)
    try {
      if (!isSoundHnswFile(path, { ...expected, maxLinks: 2 * LINKS })) return null
      graph.readIndexSync(path)
    } catch {
      return null // missing or replaced meanwhile: the vectors themselves are in the segments
    }
    return new VectorIndex(expected.dimensions, graph, expected.elements)
  }

  /**
   * Gives the memory of the points back, about 700 bytes each at 128 dimensions, of which the garbage collector knows
   * nothing. Searches find nothing any more.
   */
  [Symbol.dispose](): void {
    this.#graph.initIndex(1)
    this.#live = 0
  }

  /** Points that can be found. */
  get live(): number {
    return this.#live
  }

  /** Points in the graph, with those marked as deleted. */
  get elements(): number {
    return this.#graph.getCurrentCount()
  }

  /** The ids of all points, those marked as deleted included. */
  ids(): number[] {
    return this.#graph.getIdsList()
  }

  /**
   * @param id - Never used before in this index: replacing a point in place is five times slower than adding one.
   * @throws {RangeError} For a vector or an id that does not belong here, and when the capacity is used up.
   */
  add(id: number, vector: Float32Array): void {
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) throw new RangeError(`${id} is no label of a vector.`)
    const { elements } = this
    if (elements >= this.#graph.getMaxElements()) throw new RangeError(`There is room for ${elements} vectors only.`)
    this.#graph.addPoint(this.#checked(vector), id)
    if (this.elements === elements) throw new RangeError(`The label ${id} was given twice.`)
    this.#live++
  }

  remove(id: number): void {
    this.#graph.markDelete(id)
    this.#live--
  }

  /**
   * The nearest `k` points, or all when there are fewer, nearest first.
   * @param breadth - Candidates kept while searching: more find more of the true neighbours and take longer.
   */
  search(query: Float32Array, k: number, breadth = EF_SEARCH): Neighbour[] {
    const wanted = Math.min(k, this.#live)
    if (wanted < 1) return []
    this.#graph.setEf(Math.max(breadth, wanted))
    const { neighbors, distances } = this.#graph.searchKnn(this.#checked(query), wanted)
    return neighbors.map((id, i) => ({ id, innerProduct: 1 - (distances[i] ?? 1) })).sort(byNearness)
  }

  /** About so many a file of it has: upper levels hold one point in sixteen. */
  get bytes(): number {
    return this.elements * (this.dimensions + 2 * LINKS + 8) * 4
  }

  /**
   * Reads it again: on a full disk hnswlib writes a part of the file and reports nothing. @throws {FaultlineError}
   * DISK_FULL
   */
  async write(path: string): Promise<void> {
    await this.#graph.writeIndex(path)
    if (
      this.elements > 0 &&
      !isSoundHnswFile(path, { dimensions: this.dimensions, elements: this.elements, maxLinks: 2 * LINKS })
    ) {
      throw diskFull()
    }
  }

  /** A plain array, filled in a loop: the binding takes nothing else, and Array.from is fifteen times slower. */
  #checked(vector: Float32Array): number[] {
    if (vector.length !== this.dimensions) {
      throw new RangeError(`A vector has ${vector.length} dimensions instead of ${this.dimensions}.`)
    }
    const plain = new Array<number>(vector.length)
    for (let i = 0; i < vector.length; i++) {
      const value = vector[i] ?? NaN
      if (!Number.isFinite(value)) throw new RangeError('A vector holds a number that is not finite.')
      plain[i] = value
    }
    return plain
  }
}
