/** How an exception came to be in the text: see the HTTP contract, `exceptions[].relation`. */
export type ExceptionRelation = 'root' | 'cause' | 'context' | 'suppressed' | 'grouped' | 'separate'

/** One exception that the posted text reports, in the order of the text. */
export interface ParsedException {
  index: number
  type: string | null
  message: string | null
  language: string | null
  relation: ExceptionRelation
  /** How many identical copies of it the text held. */
  count: number
  /** Exceptions of one failure (an error, its causes, the members of a group) share this number. */
  chain: number
}

/** One line of a stack trace as it was printed; nothing here has been compared with a repository yet. */
export interface Frame {
  index: number
  /** Index of the exception that the frame belongs to. */
  exception: number
  raw: string
  /** As printed: absolute, relative, a URL or a bare name; null when the runtime printed none. */
  file: string | null
  line: number | null
  column: number | null
  function: string | null
  /** Source text that the runtime printed below the frame, when it did. */
  sourceText: string | null
  /** How many times in a row the frame stood there (recursion is collapsed). */
  repeat: number
}

/** The exceptions of a text and their frames, outermost call first, whatever order the runtime prints. */
export interface ParsedTrace {
  exceptions: ParsedException[]
  /** Only both ends of a very long trace; `index` counts all frames, so a gap in it shows the cut. */
  frames: Frame[]
  framesTotal: number
}

/** How the file of a frame was found; `none` where it was not. */
export type MatchKind = 'override' | 'exact' | 'suffix' | 'source_map' | 'package' | 'symbol' | 'basename' | 'none'

/** A frame compared with the files of a project. */
export interface MappedFrame extends Frame {
  inProject: boolean
  repository: string | null
  path: string | null
  /** Line of the frame's code in the commit read; null when unknown. */
  codeLine: number | null
  match: MatchKind
  /** A sentence for a person: which rule matched, or why none did. */
  why: string
  candidates: string[]
}
