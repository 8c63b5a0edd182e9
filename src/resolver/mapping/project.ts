import type { Frame } from '../../core/frame.ts'
import type { FileIndex, IndexedFile } from '../code/file-index.ts'
import type { FileTexts } from '../code/file-texts.ts'
import type { CodePackage } from './code-packages.ts'
import type { FramePath } from './frame-path.ts'
import type { Outputs } from './outputs.ts'
import type { Packages } from './packages.ts'
import type { ScoredCandidate } from './score-candidates.ts'
import type { SourceMap } from './source-map.ts'

/** A source map, and the path that it was read at. */
export interface LoadedMap {
  map: SourceMap
  path: string
  /** The files that its sources were found to be, by their names. */
  sources: Map<string, MappedSource>
}

/** A source in the index, or an intermediate compiled file with a map of its own. */
export interface MappedSource {
  file: IndexedFile | null
  between: IndexedFile | null
}

/** A project as mapping reads it: its files by name, their texts, and the packages that it holds. */
export interface Project {
  index: FileIndex
  texts: FileTexts
  packages: Packages
  outputs: Outputs
  /** Maps that were read, by compiled file; null for one that has none. */
  maps: Map<string, LoadedMap | null>
  /** The number of files that may be compared for one place of the current trace. */
  maxRead?: number
}

/** One file as a trace names it, with all frames in it. */
export interface Place {
  path: FramePath
  frames: readonly Frame[]
  jvm: CodePackage | null
  /** The files that a path of the project may mean, the likeliest by itself first. */
  scored: readonly ScoredCandidate[]
}
