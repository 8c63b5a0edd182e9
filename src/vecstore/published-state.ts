import type { Manifest } from '../core/project.ts'
import type { StoredManifest } from './format/stored-manifest.ts'

/** What is published of a project, as the next build finds it. */
export type PublishedState =
  | { kind: 'none' }
  /**
   * `vectorsWhole` is false while vectors or the graph that ranks them are missing, or a file of them is damaged; the
   * next build makes them anew from the texts.
   */
  | { kind: 'whole'; manifest: StoredManifest; vectorsWhole: boolean }
  /**
   * `manifest` where at least that could be read. `storedFiles` may still read the texts of another format, or beside
   * damaged `segments`; damaged ones must not be trusted. `repositories` are the names of those that it held; null
   * where nothing says so any more.
   */
  | {
      kind: 'unreadable'
      why: 'damaged' | 'segments' | 'format'
      manifest: Manifest | null
      repositories: readonly string[] | null
      detail: string
    }
