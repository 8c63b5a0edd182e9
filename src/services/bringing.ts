import type { JobDefinition, JobDefinitions } from '../jobs/job-definition.ts'
import type { RunKey } from '../jobs/store/run-key.ts'
import type { InUse } from '../replication/in-use.ts'
import type { WantedClone } from '../replication/shared-clones.ts'
import type { Store } from '../vecstore/store.ts'
import type { ResolveThreads } from './resolve-threads.ts'

interface BringingDeps {
  store: Pick<Store, 'findProject' | 'publication' | 'readManifest'> & { bring(project: string): Promise<void> }
  /** Brings a clone, once nothing of its repository is being given up. */
  bringClone: (wanted: WantedClone, signal: AbortSignal) => Promise<void>
  inUse: Pick<InUse, 'touch' | 'during'>
  /** Runs a body as that of this run. */
  asRun: <T>(run: RunKey, body: () => Promise<T>) => Promise<T>
  /** Hears that something came to this node's disk, or may be given up again. */
  grew: () => void
}

/** Work that finds what it reads on this node, where it stays meanwhile. */
interface Bringing {
  /** The same threads. */
  keeping(threads: ResolveThreads): ResolveThreads
  /** The same jobs. */
  bringing(definitions: JobDefinitions): JobDefinitions
}

/** Brings the index that threads read, and the index and the clones that jobs work on, before they begin. */
export function createBringing({ store, bringClone, inUse, asRun, grew }: BringingDeps): Bringing {
  /** A project that is being made, or is gone, has nothing to bring: the job itself says so. */
  async function bringIfThere(projectName: string, signal: AbortSignal): Promise<void> {
    if ((await store.findProject(projectName)) === null) return
    await store.bring(projectName)
    const manifest = await store.readManifest(projectName)
    for (const { repository, url, branch, commit } of manifest?.repositories ?? []) {
      await bringClone({ projectName, repository, url, branch, commit }, signal)
    }
  }

  const bringingFor = (definition: JobDefinition): JobDefinition => ({
    ...definition,
    run: context =>
      asRun(context.run, async () => {
        const projectName = definition.projectName(context.input)
        if (projectName === null) return await definition.run(context)
        inUse.touch(projectName)
        try {
          return await inUse.during(projectName, async () => {
            await bringIfThere(projectName, context.signal)
            return await definition.run(context)
          })
        } finally {
          grew() // what it made, or kept from being given up
        }
      }),
  })

  return {
    keeping: threads => ({
      ...threads,
      runFor(project, ...task) {
        inUse.touch(project)
        return inUse.during(project, async () => {
          if ((await store.publication(project)) === null) await store.bring(project)
          return await threads.runFor(project, ...task)
        })
      },
    }),
    bringing: definitions =>
      Object.fromEntries(
        Object.entries(definitions).map(([type, definition]) => [type, bringingFor(definition)]),
      ) as JobDefinitions,
  }
}
