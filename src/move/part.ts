/** What lies in the way of a move, and what helps. */
export interface Obstacle {
  message: string
  fix: string
}

/** What a part of a move found before anything is moved. */
export interface PartView {
  /** How many rows, projects, clones or files there are. */
  items: number
  /** About; null where nobody can say. */
  bytes: number | null
  /** Must be mended first. */
  obstacles: Obstacle[]
  /** What a person should know: it stops nothing. */
  notes: string[]
}

/** What was compared after a part was moved. */
export interface PartCheck {
  /** How many things are the same on both sides. */
  same: number
  /** What is not, in words. */
  differences: string[]
  /** Figures for people: rows by table and the like. */
  figures?: Readonly<Record<string, number>>
}

/** Hears how far a part is. */
export type OnProgress = (done: number, total: number) => void

/** One part of what is moved. Each may be repeated, also after a kill: what is there already stays, and is not sent. */
export interface MovePart {
  /** For people: `rows`, `indexes`. */
  readonly name: string
  /** Looks, and changes nothing. */
  look(signal: AbortSignal): Promise<PartView>
  move(onProgress: OnProgress, signal: AbortSignal): Promise<void>
  /** Compares both sides. */
  check(onProgress: OnProgress, signal: AbortSignal): Promise<PartCheck>
}
