import { lowerBaseName } from '../../core/path-names.ts'
import { newSide, type Removal, type Reply } from '../edit.ts'
import type { Asked } from './asked.ts'
import { CHARS_PER_WORK, spend, type Work } from '../apply/line-index.ts'
import { readPart, type PartReading, type PartRules } from './read-part.ts'
import { sideOf, unmatched, wordsOfUnit, type Side } from './side.ts'
import { likeness, type Words } from './words.ts'

/** A unit that a reply brings into a file has moved there from this likeness on. */
const MOVED = 0.5
/** A shorter line says too little to have moved to another file. */
const MIN_MOVED = 8
/** What reading the definitions of a text costs, in comparisons of lines for each of its characters. */
const WORK_PER_CHAR = 2

/** A remark of fewer characters is not taken for the beginning of a line. */
const MIN_SAID = 4

/** A text without what sets it off in a remark. */
const bare = (text: string): string => text.replaceAll(/[`"']/g, '').replaceAll(/\s+/g, ' ').trim()

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
  /** What the reply says to have removed on purpose. */
  removals?: readonly Removal[]
  /** A file as the model is shown it. */
  redact?: (text: string) => string
}

/** All that the edits of a reply bring into each file. */
function textsByPath({ files, diffs }: Reply): Map<string, string> {
  const texts = new Map<string, string[]>()
  const add = (path: string, text: string): void => {
    const known = texts.get(path)
    if (known === undefined) texts.set(path, [text])
    else known.push(text)
  }
  for (const { path, content } of files) add(path, content)
  for (const { newPath, hunks } of diffs) {
    if (newPath === null) continue
    for (const hunk of hunks) {
      add(
        newPath,
        newSide(hunk)
          .map(({ text }) => `${text}\n`)
          .join(''),
      )
    }
  }
  return new Map(Array.from(texts, ([path, parts]) => [path, parts.join('\n')]))
}

/** Tells blocks that are parts of their files from whole ones, for all blocks of one reply. */
export class PartReader {
  readonly #deps: ReaderDeps
  /** The side of each file that was read last. */
  readonly #sides = new Map<string, Side>()
  #brought: ReadonlyMap<string, readonly Brought[]> | null = null
  #elsewhere: { path: string; lines: ReadonlySet<string> } | null = null

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  /**
   * Reads what a block is to the file that has its name.
   *
   * @param isAnnounced - Whether the words above the block announce a part of the file.
   * @throws {TooMuchWork}
   */
  read({
    path,
    before,
    content,
    isAnnounced = false,
  }: {
    path: string
    before: string
    content: string
    isAnnounced?: boolean
  }): PartReading {
    if (before === content) return { whole: true }
    const { rules, removals = [], redact = text => text } = this.#deps
    const { outline, anew } = rules
    const asked: Asked = anew?.has(path) === true ? { ...rules.asked, file: 'anew' } : rules.asked
    const said = removals.filter(own => lowerBaseName(own.path) === lowerBaseName(path)).map(({ what }) => bare(what))
    const read = readPart(this.#sideOf(path, before), this.#read(path, content), outline, {
      asked,
      redact,
      isAnnounced,
      isConfirmed: what =>
        said.some(own => own === bare(what) || (own.length >= MIN_SAID && bare(what).startsWith(own))),
      isLineElsewhere: line => this.#linesElsewhere(path).has(line.trim()),
      isElsewhere: (name, words) =>
        (this.#units().get(name) ?? []).some(own => own.path !== path && likeness(own.words, words) >= MOVED),
    })
    if ('placed' in read) this.#sides.set(path, read.placed)
    return read
  }

  #sideOf(path: string, text: string): Side {
    const known = this.#sides.get(path)
    if (known?.text === text) return known
    const side = this.#read(path, text)
    this.#sides.set(path, side)
    return side
  }

  /** The lines that edits of the reply bring into other files than this one. */
  #linesElsewhere(path: string): ReadonlySet<string> {
    const { reply, files } = this.#deps
    if (this.#elsewhere?.path === path) return this.#elsewhere.lines
    const lines = new Set<string>()
    for (const [other, text] of textsByPath(reply)) {
      if (other === path) continue
      for (const line of text.split('\n')) if (line.trim().length >= MIN_MOVED) lines.add(line.trim())
      for (const line of files.get(other)?.split('\n') ?? []) lines.delete(line.trim())
    }
    this.#elsewhere = { path, lines }
    return lines
  }

  /** The units that the reply brings into files, by name. */
  #units(): ReadonlyMap<string, readonly Brought[]> {
    this.#brought ??= this.#readBrought()
    return this.#brought
  }

  #readBrought(): ReadonlyMap<string, readonly Brought[]> {
    const brought = new Map<string, Brought[]>()
    const texts = textsByPath(this.#deps.reply)
    if (texts.size < 2) return brought // what is in the file itself is no other file
    for (const [path, text] of texts) {
      const block = this.#read(path, text)
      for (const index of unmatched(block, this.#read(path, this.#deps.files.get(path) ?? ''))) {
        const name = block.units[index]?.name ?? ''
        const own = { path, words: wordsOfUnit(block, index) }
        const known = brought.get(name)
        if (known === undefined) brought.set(name, [own])
        else known.push(own)
      }
    }
    return brought
  }

  #read(path: string, text: string): Side {
    const { rules, work } = this.#deps
    spend(work, (text.length * WORK_PER_CHAR) / CHARS_PER_WORK)
    return sideOf(path, text, rules.outline)
  }
}
