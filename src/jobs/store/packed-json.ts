import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync, type ZstdOptions } from 'node:zlib'
import type { JsonObject } from '../../core/job.ts'
import type { PackedJson } from './job-store.ts'

const compress = promisify<Uint8Array, ZstdOptions, Uint8Array>(zstdCompress)
const UNPACKED_CHUNK_BYTES = 1 << 20

/**
 * The quickest level that still finds what repeats in a log, and one piece of output: each further one would wait for
 * the main thread.
 */
function optionsFor(bytes: number): ZstdOptions {
  return { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: bytes + Math.ceil(bytes / 128) + 1024 }
}

/** Packs the bytes of a JSON object in another thread (about 25 ms for 10 MB), while this one goes on with them. */
export const packJson = (json: Uint8Array): Promise<PackedJson> => compress(json, optionsFor(json.length))

/** Packs a JSON object in this thread. */
export function packJsonSync(json: string): PackedJson {
  const bytes = Buffer.from(json)
  return zstdCompressSync(bytes, optionsFor(bytes.length))
}

/** The JSON object that was packed. */
export const unpackJson = (packed: PackedJson): JsonObject =>
  JSON.parse(zstdDecompressSync(packed, { chunkSize: UNPACKED_CHUNK_BYTES }).toString()) as JsonObject
