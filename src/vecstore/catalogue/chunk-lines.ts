/** A chunk of a file's text: its lines (1-based, inclusive), and where they stand in the text. */
export interface ChunkLines {
  startLine: number
  endLine: number
  startOffset: number
  endOffset: number
}

const WORDS = 4

/** Four 32-bit numbers a chunk, in the machine's byte order (little-endian wherever Node runs). */
export function packChunkLines(chunks: readonly ChunkLines[]): Uint8Array {
  const words = new Uint32Array(chunks.length * WORDS)
  for (const [i, { startLine, endLine, startOffset, endOffset }] of chunks.entries()) {
    words.set([startLine, endLine, startOffset, endOffset], i * WORDS)
  }
  return new Uint8Array(words.buffer)
}

/** Copies: the bytes of a database row need not be aligned. */
export function unpackChunkLines(bytes: Uint8Array): ChunkLines[] {
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
  const chunks: ChunkLines[] = []
  for (let at = 0; at < words.length; at += WORDS) {
    chunks.push({
      startLine: words[at] ?? 0,
      endLine: words[at + 1] ?? 0,
      startOffset: words[at + 2] ?? 0,
      endOffset: words[at + 3] ?? 0,
    })
  }
  return chunks
}
