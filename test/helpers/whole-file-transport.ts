import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { blobOf, type BlobRef } from '../../src/object-store/blobs/blob-store.ts'
import type { GenerationTransport } from '../../src/replication/generations.ts'
import { openStore } from '../../src/vecstore/store.ts'

/** Each file of a generation, which is one piece. */
interface WholeFiles {
  generation: number
  files: Array<BlobRef & { path: string }>
}

const nameOf = (generation: number): string => String(generation).padStart(6, '0')

/** Generations below a folder of indexes, taken as the files that they are: the simplest transport there is. */
export function wholeFileTransport(root: string): GenerationTransport<WholeFiles> {
  const store = openStore(root, { minFreeBytes: 0 })
  return {
    async describe(project) {
      const current = (await readFile(join(root, project, 'CURRENT'), 'utf8').catch(() => '')).trim()
      if (current === '') return null
      const folder = join(root, project, current)
      const found = await readdir(folder, { recursive: true, withFileTypes: true })
      const paths = found.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      const contents = await Promise.all(paths.map(path => readFile(path)))
      const files = paths.map((path, i) => ({ path: relative(folder, path), ...blobOf(contents[i] ?? Buffer.of()) }))
      return {
        description: { generation: Number(current), files },
        async readPiece(sha256) {
          const file = files.findIndex(one => one.sha256 === sha256)
          return contents[file] ?? Buffer.of()
        },
        async [Symbol.asyncDispose]() {},
      }
    },
    piecesOf: ({ files }) => files,
    encode: description => Buffer.from(JSON.stringify(description)),
    decode: (_project, bytes) => JSON.parse(Buffer.from(bytes).toString()) as WholeFiles,
    async assemble(project, { generation, files }, fetchPiece, signal) {
      await store.createProject(project)
      const folder = join(root, project, nameOf(generation))
      const draft = `${folder}-abc.tmp`
      await rm(draft, { recursive: true, force: true })
      for (const file of files) {
        await mkdir(dirname(join(draft, file.path)), { recursive: true })
        const there = join(folder, file.path)
        const isThere = (await readFile(there).then(blobOf, () => null))?.sha256 === file.sha256
        if (isThere) await copyFile(there, join(draft, file.path))
        else await writeFile(join(draft, file.path), await fetchPiece(file, signal))
      }
      await rm(folder, { recursive: true, force: true })
      await rename(draft, folder)
      await writeFile(join(root, project, 'CURRENT.tmp'), `${nameOf(generation)}\n`)
      await rename(join(root, project, 'CURRENT.tmp'), join(root, project, 'CURRENT'))
    },
    publication: project => store.publication(project),
  }
}
