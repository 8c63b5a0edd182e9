import { indentOf } from '../text/indentation.ts'

const CLOSING = /^<\/([A-Za-z][\w:-]{0,30})>$/

/** Finds where tags of a text are closed, in one pass over its lines; to be asked with lines that grow. */
export class ClosingTags {
  /** By tag, the lines that close it, the last one first. */
  #lines: Map<string, number[]> | null = null
  readonly #source: readonly string[]

  constructor(lines: readonly string[]) {
    this.#source = lines
  }

  /** The first line behind this one that closes a tag, with as many blanks before it as this one; -1 for none. */
  after(at: number, tag: string): number {
    this.#lines ??= this.#read()
    const indent = indentOf(this.#source[at] ?? '')
    const closing = this.#lines.get(indent + tag) ?? []
    while ((closing.at(-1) ?? Infinity) <= at) closing.pop()
    return closing.at(-1) ?? -1
  }

  #read(): Map<string, number[]> {
    const lines = new Map<string, number[]>()
    for (let at = this.#source.length - 1; at >= 0; at--) {
      const line = this.#source[at] ?? ''
      const indent = indentOf(line)
      const tag = line.startsWith('</', indent.length) ? CLOSING.exec(line.slice(indent.length))?.[1] : undefined
      if (tag === undefined) continue
      const known = lines.get(indent + tag)
      if (known === undefined) lines.set(indent + tag, [at])
      else known.push(at)
    }
    return lines
  }
}
