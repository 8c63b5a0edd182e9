import type { FileHandle } from 'node:fs/promises'

/** Fills a buffer from a place in a file. @returns Whether the file goes on for so long. */
export async function readWhole(handle: FileHandle, buffer: Buffer, offset: number): Promise<boolean> {
  for (let done = 0; done < buffer.length;) {
    const { bytesRead } = await handle.read(buffer, done, buffer.length - done, offset + done)
    if (bytesRead === 0) return false
    done += bytesRead
  }
  return true
}
