import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { JobFile } from '../core/job.ts'

/**
 * The files as a `.tar.gz`, made while it is read: no more than one of them is in memory. Entries are regular files with fixed rights and date, so that
 * equal files give equal archives. It fails, and so ends early, when a file cannot be given as it was kept.
 */
export function archiveOf (files: readonly JobFile[], read: (file: JobFile) => Promise<Uint8Array>): Readable {
  const tar = pack()

  async function fill (): Promise<void> {
    for (const file of files) {
      const content = await read(file)
      await new Promise<void>((resolve, reject) => {
        tar.entry({ name: file.path, mode: 0o644, mtime: new Date(0), type: 'file' }, Buffer.from(content), error => { if (error) reject(error); else resolve() })
      })
    }
    tar.finalize()
  }

  const archive = createGzip()
  tar.on('error', () => {}) // told through the archive, or nobody reads it any more
  pipeline(Readable.from(tar), archive, () => tar.destroy()) // whoever reads the archive sees what went wrong
  fill().catch((error: Error) => archive.destroy(error))
  return archive
}
