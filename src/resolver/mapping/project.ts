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
  /** What its sources were found to be, by their names. */
  sources: Map<string, MappedSource>
}

/** A source of the index, or what lies between: a compiled file with a map of its own. */
export interface MappedSource {
  file: IndexedFile | null
  between: IndexedFile | null
}

/** Where names are looked up, what the files say, and whose packages the project holds. */
export interface Project {
  index: FileIndex
  texts: FileTexts
  packages: Packages
  outputs: Outputs
  /** Maps that were read, by compiled file; null for one that has none. */
  maps: Map<string, LoadedMap | null>
  /** How many files may be compared for one place of the trace at hand. */
  maxRead?: number
}

/** One file as a trace names it, with all frames in it. */
export interface Place {
  path: FramePath
  frames: readonly Frame[]
  jvm: CodePackage | null
  /** Of a path of the project: the files that it may mean, the likeliest by itself first. */
  scored: readonly ScoredCandidate[]
}
