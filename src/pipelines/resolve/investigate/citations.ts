import type { Resolution } from '../../../core/resolution.ts'
import { counted } from '../../steps/counted.ts'
import { citedIn, lastPart, proseAndCode, type Cited } from './cited.ts'

type Citation = NonNullable<Resolution['citations']>[number]

/** What citations are looked up in. */
interface CitedCode {
  /** The text of a file of the commit; null where there is none, or none that is text. */
  readFile: (path: string) => Promise<string | null>
  /** Paths that the model was shown, which it may cite by their ends. */
  paths: ReadonlySet<string>
  /** Texts that the model was shown: what they name may be named. */
  shown: readonly string[]
  /** Whether code of the commit has a name. */
  hasName: (name: string) => Promise<boolean>
  commit: string
}

/** What became of looking for a file. */
type FoundFile = { path: string; lines: number } | null

/** An answer that cites more is a list; the rest stays unchecked. */
const MAX_CITATIONS = 60

const wordIn = (word: string, text: string): boolean =>
  new RegExp(String.raw`(?<![\w$])${word.replaceAll('$', String.raw`\$`)}(?![\w$])`).test(text)

const lineCount = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

/** Looks up what answers cite, each thing once. */
class Lookup {
  readonly #code: CitedCode
  /** The answer's own code: it need not be there. */
  readonly #proposed: string
  readonly #at: string
  readonly #files = new Map<string, Promise<FoundFile>>()
  readonly #names = new Map<string, Promise<string | null>>()

  constructor(code: CitedCode, proposed: string) {
    this.#code = code
    this.#proposed = proposed
    this.#at = `at ${code.commit.slice(0, 12)}`
  }

  /** The file that is meant; a path may be the end of one that the model was shown. */
  async #findFile(cited: string): Promise<FoundFile> {
    const [known, ...others] = [...this.#code.paths].filter(path => path.endsWith(`/${cited}`))
    const candidates = known === undefined || others.length > 0 ? [cited] : [cited, known]
    for (const path of candidates) {
      const text = await this.#code.readFile(path)
      if (text !== null) return { path, lines: lineCount(text) }
    }
    // one of several files, which the answer does not tell apart
    return others.length > 0 ? { path: cited, lines: Infinity } : null
  }

  /** Where a name is; null where it is not. */
  async #findName(name: string): Promise<string | null> {
    if (this.#code.shown.some(text => wordIn(name, text))) return 'it is in what the model was shown'
    if (wordIn(name, this.#proposed)) return 'the answer proposes it'
    return (await this.#code.hasName(name)) ? 'the code of the project has it' : null
  }

  async #checkName(cited: Cited): Promise<Citation> {
    const { text, kind, path, line } = cited
    const name = lastPart(text)
    const known = this.#names.get(name) ?? this.#findName(name)
    this.#names.set(name, known)
    const where = await known
    const why = where ?? `the code of the project has no ${name} ${this.#at}`
    return { text, kind, path, line, exists: where !== null, why }
  }

  async #checkPlace({ text, kind, line, lastLine }: Cited, path: string): Promise<Citation> {
    const known = this.#files.get(path) ?? this.#findFile(path)
    this.#files.set(path, known)
    const file = await known
    if (file === null) {
      const spellings = [path, path.replaceAll('/', '\\')] // traces of Windows have the other one
      const isNamed = [...this.#code.shown, this.#proposed].some(shown => spellings.some(one => shown.includes(one)))
      const why = isNamed ? 'the trace or the answer itself names it' : `there is no such file ${this.#at}`
      return { text, kind, path, line, exists: isNamed, why }
    }
    const exists = [line, lastLine].every(one => one === null || (one >= 1 && one <= file.lines))
    const why = exists ? `it is there ${this.#at}` : `the file has ${counted(file.lines, 'line')} ${this.#at}`
    return { text, kind, path: file.path, line, exists, why }
  }

  check(cited: Cited): Promise<Citation> {
    return cited.path === null ? this.#checkName(cited) : this.#checkPlace(cited, cited.path)
  }
}

/** Characters behind a citation that close the code span or the Markdown link that it ends. */
function closingAfter(prose: string, { from, to }: Cited): number {
  const after = prose[to]
  const isTarget = after === ')' && prose.slice(Math.max(0, from - 2), from) === ']('
  return after === '`' || isTarget ? 1 : 0
}

/**
 * Looks up the files, lines and names that an answer cites outside of its code, and marks what is not there. Names are
 * those in code spans; a name is there if code of the commit, or what the model was shown, has its last part. What the
 * answer's own code proposes need not be there.
 *
 * @returns The text with `[not found: …]` behind each citation of something that is not there, and all citations, each
 * once.
 */
export async function checkCitations(text: string, code: CitedCode): Promise<{ text: string; citations: Citation[] }> {
  const { prose, code: proposed } = proseAndCode(text)
  const lookup = new Lookup(code, proposed)
  const citations = new Map<string, Citation>()
  const parts: string[] = []
  let end = 0
  for (const cited of citedIn(prose).slice(0, MAX_CITATIONS)) {
    const citation = await lookup.check(cited)
    citations.set(`${citation.text}:${citation.line}:${cited.lastLine}`, citation)
    if (citation.exists) continue
    const at = cited.to + closingAfter(prose, cited)
    parts.push(text.slice(end, at), ` [not found: ${citation.why}]`)
    end = at
  }
  return { text: `${parts.join('')}${text.slice(end)}`, citations: [...citations.values()] }
}
