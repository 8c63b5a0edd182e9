import type { ObjectStore } from '../object-store/object-store.ts'
import type { SharedUploads } from '../replication/shared-uploads.ts'
import type { Repos } from '../repos/repos.ts'
import type { Direction } from './direction.ts'
import type { MovePart } from './part.ts'

interface UploadsDeps {
  repos: Pick<Repos, 'inventory'>
  uploads: Pick<SharedUploads, 'keep' | 'bring'>
  objects: Pick<ObjectStore, 'list' | 'head'>
  direction: Direction
}

const PREFIX = 'uploads/'

/** Files that clients sent and that no job has read yet. */
export function createUploadsPart({ repos, uploads, objects, direction }: UploadsDeps): MovePart {
  const here = async (): Promise<string[]> => (await repos.inventory()).uploads

  async function there(signal: AbortSignal): Promise<string[]> {
    const names: string[] = []
    for await (const page of objects.list(PREFIX, signal)) {
      names.push(...page.map(({ key }) => key.slice(PREFIX.length)))
    }
    return names
  }
  const list = (signal: AbortSignal) => (direction === 'to_cluster' ? here() : there(signal))

  return {
    name: 'uploads',
    look: async signal => ({ items: (await list(signal)).length, bytes: null, obstacles: [], notes: [] }),
    async move(onProgress, signal) {
      const all = await list(signal)
      for (const [done, upload] of all.entries()) {
        await (direction === 'to_cluster' ? uploads.keep(upload, signal) : uploads.bring(upload, signal))
        onProgress(done + 1, all.length)
      }
    },
    async check(_onProgress, signal) {
      const other = new Set(direction === 'to_cluster' ? await there(signal) : await here())
      const all = await list(signal)
      const missing = all.filter(upload => !other.has(upload))
      return { same: all.length - missing.length, differences: missing.map(upload => `${upload} is missing`) }
    },
  }
}
