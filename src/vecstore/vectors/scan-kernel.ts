// The inner products of a query with many rows, by the instructions of WebAssembly that work on four numbers at once: a
// quarter of the time of the same loop in JavaScript, which makes exact search of 200,000 vectors quick enough. The
// module is so small that its instructions stand here: docs/decisions/0029-exact-search-stands-in.md.

// What is used of it: the types of Node do not have it, and those of browsers would bring everything else along.
interface WasmMemory {
  readonly buffer: ArrayBuffer
}
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => WasmMemory
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (module: object, imports: { m: { m: WasmMemory } }) => { exports: { f: Kernel } }
  CompileError: new () => Error
}

type Kernel = (firstRow: number, firstProduct: number, end: number, rowBytes: number) => void

/** Fewer rows are not worth a memory of their own. */
const LEAST_ROWS = 2_000
/** Two times four numbers in each turn of the inner loop. */
const LANES = 8
const PAGE_BYTES = 65_536
/** One less than a memory may have: the end of the rows must be a number of 32 bits, too. */
const MAX_PAGES = 65_535
const FLOAT_BYTES = 4

/** Unsigned LEB128, as the format has all its counts. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return [...bytes, value]
}

const section = (id: number, content: number[]): number[] => [id, ...unsigned(content.length), ...content]

// parameters: the first row, its product, the end of the rows, the bytes of a row (and of the query, which is at 0)
const [ROW, PRODUCT, END, ROW_BYTES] = [0, 1, 2, 3]
// variables: how far in the query, two sums of four
const [AT, SUM, OTHER_SUM] = [4, 5, 6]

const get = (variable: number): number[] => [0x20, variable]
const set = (variable: number): number[] => [0x21, variable]
/** Signed LEB128 of numbers below 64, which is the number itself. */
const constant = (value: number): number[] => [0x41, value]
const vector = (instruction: number): number[] => [0xfd, ...unsigned(instruction)]
const loadFour = (offset: number): number[] => [...vector(0), 4, offset]
const zeros = [...vector(12), ...new Array<number>(16).fill(0)]
const multiplyFour = vector(0xe6)
const addFour = vector(0xe4)
const lane = (number: number): number[] => [...vector(31), number]
const [addFloats, storeFloat, addWhole, isBelow] = [[0x92], [0x38, 2, 0], [0x6a], [0x49]]
const [loop, again, end] = [[0x03, 0x40], [0x0d, 0], [0x0b]]

const addProducts = (sum: number, offset: number): number[] => [
  ...get(sum),
  ...[...get(AT), ...loadFour(offset)],
  ...[...get(ROW), ...loadFour(offset)],
  ...multiplyFour,
  ...addFour,
  ...set(sum),
]
const advance = (variable: number, bytes: number): number[] => [
  ...get(variable),
  ...constant(bytes),
  ...addWhole,
  ...set(variable),
]
const againWhileBelow = (variable: number, limit: number): number[] => [
  ...get(variable),
  ...get(limit),
  ...isBelow,
  ...again,
]

const INSTRUCTIONS = [
  ...loop,
  ...[...zeros, ...set(SUM), ...zeros, ...set(OTHER_SUM), ...constant(0), ...set(AT)],
  ...[...loop, ...addProducts(SUM, 0), ...addProducts(OTHER_SUM, 16)],
  ...[...advance(ROW, 32), ...advance(AT, 32), ...againWhileBelow(AT, ROW_BYTES), ...end],
  ...[...get(SUM), ...get(OTHER_SUM), ...addFour, ...set(SUM), ...get(PRODUCT)],
  ...[...get(SUM), ...lane(0)],
  ...[1, 2, 3].flatMap(number => [...get(SUM), ...lane(number), ...addFloats]),
  ...[...storeFloat, ...advance(PRODUCT, FLOAT_BYTES), ...againWhileBelow(ROW, END), ...end],
  ...end,
]

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const [int32, fourFloats, fn, memory] = [0x7f, 0x7b, 0x60, 2]
  const body = [2, 1, int32, 2, fourFloats, ...INSTRUCTIONS]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
    ...section(1, [1, fn, 4, int32, int32, int32, int32, 0]),
    ...section(2, [1, 1, 0x6d, 1, 0x6d, memory, 0, 1]), // imports memory m.m of at least a page
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x66, 0, 0]), // exports function f
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ])
}

/** Compiled once in a thread, in less than a millisecond. */
let compiled: object | null = null

/** Rows to be filled, and their inner products. */
export interface ScannedRows {
  /** Row after row; zeros at first. */
  readonly values: Float32Array
  /**
   * Their inner products with a query of the same dimensions, in memory that the next call overwrites. About 0.02 ms a
   * thousand rows of 128 dimensions.
   */
  readonly products: (query: Float32Array) => Float32Array
}

function openRows(rows: number, dimensions: number): ScannedRows | null {
  const rowBytes = dimensions * FLOAT_BYTES
  const productsAt = rowBytes
  const rowsAt = Math.ceil((productsAt + rows * FLOAT_BYTES) / 16) * 16
  const end = rowsAt + rows * rowBytes
  const pages = Math.ceil(end / PAGE_BYTES)
  if (pages > MAX_PAGES) return null
  const memory = new WebAssembly.Memory({ initial: pages })
  compiled ??= new WebAssembly.Module(moduleBytes())
  const kernel = new WebAssembly.Instance(compiled, { m: { m: memory } }).exports.f
  const held = new Float32Array(memory.buffer, 0, dimensions)
  const products = new Float32Array(memory.buffer, productsAt, rows)
  return {
    values: new Float32Array(memory.buffer, rowsAt, rows * dimensions),
    products(query) {
      held.set(query)
      kernel(rowsAt, productsAt, end, rowBytes)
      return products
    },
  }
}

/**
 * Memory for so many rows; null where a plain loop has to do: for few rows, dimensions that are no multiple of eight,
 * more than 4 GiB, and where this process may not have such memory.
 */
export function createScannedRows(rows: number, dimensions: number): ScannedRows | null {
  if (rows < LEAST_ROWS || dimensions % LANES !== 0) return null
  try {
    return openRows(rows, dimensions)
  } catch (error) {
    // no room in the address space, or a processor without these instructions
    if (error instanceof RangeError || error instanceof WebAssembly.CompileError) return null
    throw error
  }
}
