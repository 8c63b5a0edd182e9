import { createVectorFile, type VectorRows } from '../../../src/vecstore/vectors/vector-file.ts'

export const ROWS = { dimensions: 3, ids: Uint32Array.of(4, 7), values: Float32Array.of(1, 0, 0, 0, 1, 0) }

export async function writeRows(
  path: string,
  { dimensions, ids, values }: VectorRows,
  parts = [values],
): Promise<{ bytes: number; sha256: string }> {
  await using writer = await createVectorFile(path, { dimensions, ids })
  for (const part of parts) await writer.append(part)
  return await writer.finish()
}
