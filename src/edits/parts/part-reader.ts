import { newSide, type Reply } from '../edit.ts'
import { CHARS_PER_WORK, spend, type Work } from '../apply/line-index.ts'
import { readPart, type PartReading, type PartRules } from './read-part.ts'
import { sideOf, unmatched, wordsOfUnit, type Side } from './side.ts'
import { likeness, type Words } from './words.ts'

/** A unit that a reply brings into a file has moved there from this likeness on. */
const MOVED = 0.5
/** What reading the definitions of a text costs, in comparisons of lines for each of its characters. */
const WORK_PER_CHAR = 4

/** A unit that an edit of the reply brings into a file. */
interface Brought {
  path: string
  words: Words
}

interface ReaderDeps {
  /** The files before the reply. */
  files: ReadonlyMap<string, string>
  reply: Reply
  rules: PartRules
  work: Work
}

/** Tells blocks that are parts of their files from whole ones, for all blocks of one reply. */
export class PartReader {
  readonly #deps: ReaderDeps
  /** The side of each file that was read last. */
  readonly #sides = new Map<string, Side>()
  #brought: ReadonlyMap<string, readonly Brought[]> | null = null

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  /**
   * Reads what a block is to the file that has its name.
   *
   * @throws {TooMuchWork}
   */
  read({ path, before, content }: { path: string; before: string; content: string }): PartReading {
    const { rules, work } = this.#deps
    spend(work, (content.length * WORK_PER_CHAR) / CHARS_PER_WORK)
    const file = this.#sideOf(path, before)
    const block = sideOf(path, content, rules.outline)
    return readPart(file, block, rules.outline, {
      asked: rules.asked,
      isElsewhere: (name, words) =>
        (this.#units().get(name) ?? []).some(own => own.path !== path && likeness(own.words, words) >= MOVED),
    })
  }

  #sideOf(path: string, text: string): Side {
    const known = this.#sides.get(path)
    if (known?.text === text) return known
    spend(this.#deps.work, (text.length * WORK_PER_CHAR) / CHARS_PER_WORK)
    const side = sideOf(path, text, this.#deps.rules.outline)
    this.#sides.set(path, side)
    return side
  }

  /** The units that the reply brings into files, by name. */
  #units(): ReadonlyMap<string, readonly Brought[]> {
    if (this.#brought !== null) return this.#brought
    const { files, reply, rules } = this.#deps
    const brought = new Map<string, Brought[]>()
    const add = (path: string, text: string): void => {
      spend(this.#deps.work, (text.length * WORK_PER_CHAR) / CHARS_PER_WORK)
      const block = sideOf(path, text, rules.outline)
      for (const index of unmatched(block, sideOf(path, files.get(path) ?? '', rules.outline))) {
        const name = block.units[index]?.name ?? ''
        const own = { path, words: wordsOfUnit(block, index) }
        const known = brought.get(name)
        if (known === undefined) brought.set(name, [own])
        else known.push(own)
      }
    }
    for (const { path, content } of reply.files) add(path, content)
    for (const { newPath, hunks } of reply.diffs) {
      if (newPath !== null) {
        add(
          newPath,
          hunks
            .map(hunk =>
              newSide(hunk)
                .map(({ text }) => text)
                .join('\n'),
            )
            .join('\n'),
        )
      }
    }
    this.#brought = brought
    return brought
  }
}
