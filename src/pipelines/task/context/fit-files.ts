import { splitLines } from '../../../core/source-text.ts'
import { showFiles } from '../../../edits/write/show-files.ts'
import { MAX_CHARS_PER_TOKEN, MAX_SHOWN_CHARS } from './budgets.ts'

type CountTokens = (text: string) => number

/** How much of a file is shown. */
export interface ShownFile {
  path: string
  isWhole: boolean
  /** The lines that are shown of it, from the first on; only where it is not whole. */
  lines?: number
}

/** Fewer lines of a file are not worth showing. */
const LEAST_LINES = 10
/** Tokens of a note, and of the blank line between two files. */
const AROUND_TOKENS = 2

/** A file as a model is shown it: its name, its text in a fence, and what is missing of it. */
export function showFile({ path, isWhole, lines = 0 }: ShownFile, text: string): string {
  if (isWhole) return showFiles([[path, text]])
  const all = splitLines(text)
  const shown = all.slice(0, lines).join('\n')
  return `${showFiles([[path, shown]])}\n(Only the first ${lines} of ${all.length} lines of this file are shown.)`
}

/** The lines that stand whole in the first 100 KB and take about so many tokens. */
function linesWithin(all: readonly string[], tokens: number, countTokens: CountTokens): number {
  let [lines, chars, left] = [0, 0, tokens]
  for (const line of all) {
    chars += line.length + 1
    if (chars > MAX_SHOWN_CHARS) break
    left -= countTokens(`${line}\n`)
    if (left < 0) break
    lines++
  }
  return lines
}

/** The most lines of a file that fit; null where that is too little to be of use. */
function cutToFit(path: string, text: string, tokens: number, countTokens: CountTokens): ShownFile | null {
  const all = splitLines(text)
  for (let room = tokens; room > 0;) {
    const lines = linesWithin(all, room, countTokens)
    if (lines < LEAST_LINES) return null
    const file = { path, isWhole: false, lines }
    const cost = countTokens(showFile(file, text))
    if (cost <= tokens) return file
    room -= Math.max(cost - tokens, 1) // what stands around the lines counts as well
  }
  return null
}

/** A file that may be shown, with the most tokens that it may take. */
export interface Candidate {
  path: string
  maxTokens: number
  /** Whether its beginning is shown where the whole is too much; else it is left out. */
  mayBeCut: boolean
}

/** What is shown of a level, and what that takes. */
interface Fitted {
  files: ShownFile[]
  tokens: number
}

/** What is shown of a candidate within a number of tokens; null where it is left out. */
function fitOne(
  { path, maxTokens, mayBeCut }: Candidate,
  text: string,
  { left, countTokens }: { left: number; countTokens: CountTokens },
): { file: ShownFile; tokens: number } | null {
  const tokens = Math.min(maxTokens, left) - AROUND_TOKENS
  if (tokens <= 0) return null
  const whole: ShownFile = { path, isWhole: true }
  const isLong = text.length > Math.min(MAX_SHOWN_CHARS, tokens * MAX_CHARS_PER_TOKEN)
  const cost = isLong ? Infinity : countTokens(showFile(whole, text))
  if (cost <= tokens) return { file: whole, tokens: cost + AROUND_TOKENS }
  const cut = mayBeCut ? cutToFit(path, text, tokens, countTokens) : null
  return cut === null ? null : { file: cut, tokens: countTokens(showFile(cut, text)) + AROUND_TOKENS }
}

/**
 * Takes files in their order as long as the budget has room for them, each once: whole, or its beginning up to the end
 * of a line where it may be cut, or not at all. What comes after one that is left out may still fit.
 *
 * @param texts - Of the candidates; one without a text is left out.
 */
export function fitFiles(
  candidates: readonly Candidate[],
  {
    texts,
    maxTokens,
    countTokens,
  }: { texts: ReadonlyMap<string, string>; maxTokens: number; countTokens: CountTokens },
): Fitted {
  const files: ShownFile[] = []
  const seen = new Set<string>()
  let left = maxTokens
  for (const candidate of candidates) {
    const text = texts.get(candidate.path)
    if (text === undefined || seen.has(candidate.path)) continue
    const fitted = fitOne(candidate, text, { left, countTokens })
    if (fitted === null) continue
    seen.add(candidate.path)
    files.push(fitted.file)
    left -= fitted.tokens
  }
  return { files, tokens: maxTokens - left }
}
