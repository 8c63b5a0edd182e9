import { FaultlineError } from '../core/errors.ts'
import type { PublishedManifest } from '../core/project.ts'
import type { Store } from '../vecstore/store.ts'

interface Wanted {
  projectName: string
  repository: { repository: string; commit: string }
}

type Manifests = Pick<Store, 'listProjects' | 'readManifest'>

/** Null for one that is damaged or of another format: there is nothing to share. */
async function readableManifest(project: string, store: Manifests): Promise<PublishedManifest | null> {
  try {
    const manifest = await store.readManifest(project)
    return manifest?.indexState === 'foreign' ? null : manifest
  } catch (error) {
    if (error instanceof FaultlineError && error.code === 'INDEX_INCOMPATIBLE') return null
    throw error
  }
}

/**
 * Another project whose index holds this repository and nothing else, cut in the same way: a new project begins with a
 * copy of it, and what is the same is neither read nor embedded again. One of the same commit if there is any, else the
 * newest project. Null when there is none.
 */
export async function projectToShare(
  { projectName, repository: { repository, commit } }: Wanted,
  store: Manifests,
  chunker: string,
): Promise<string | null> {
  let found: string | null = null
  for (const project of await store.listProjects()) {
    const manifest = project === projectName ? null : await readableManifest(project, store)
    const [only, ...others] = manifest?.repositories ?? []
    if (manifest?.chunker !== chunker || only?.repository !== repository || others.length > 0) continue
    if (only.commit === commit) return project
    found ??= project
  }
  return found
}
