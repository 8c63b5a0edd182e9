import { pipeline, type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { JobFile } from '../../core/job.ts'

/**
 * The files as a `.tar.gz`, made while it is read: no more than one of them is in memory. Entries are regular files
 * with fixed rights and date, so that equal files give equal archives. It fails, and so ends early, when a file cannot
 * be given as it was kept.
 */
export function archiveOf(files: readonly JobFile[], read: (file: JobFile) => Promise<Uint8Array>): Readable {
  const tar = pack()

  async function fill(): Promise<void> {
    for (const file of files) {
      const content = await read(file)
      await new Promise<void>((resolve, reject) => {
        const entry = tar.entry(
          { name: file.path, mode: 0o644, mtime: new Date(0), type: 'file' },
          Buffer.from(content),
          error => {
            if (error) reject(error)
            else resolve()
          },
        )
        entry.on('error', reject) // when nobody reads any more it must not end the process
      })
    }
    tar.finalize()
  }

  const archive = createGzip()
  for (const stream of [tar, archive]) stream.on('error', () => {}) // whoever still reads hears of it
  pipeline(tar as unknown as Readable, archive, () => tar.destroy())
  fill().catch((error: Error) => archive.destroy(error))
  return archive
}
