import type { CodeReader } from '../../code/code-reader.ts'
import type { TraceQuery } from '../trace-query.ts'
import { HitSum, fileKey, filesOfChunks, type RankerHit } from './hits.ts'
import { countTerms } from './term-query.ts'

const MAX_TEXTS = 4
const MIN_CHARS = 3
/** Quotes whose rarest word occurs in more chunks say too little to read files for. */
const MAX_FREQUENCY = 60
const MAX_HITS = 60
const MAX_READ = 8
const MAX_SHOWN = 80
const QUOTES: ReadonlySet<string> = new Set(["'", '"', '`'])

type FileName = Pick<RankerHit, 'repository' | 'path'>
type LiteralReader = Pick<CodeReader, 'searchTerms' | 'documentFrequency' | 'filesHolding' | 'fileText'>

/**
 * Whether a text has the quotation as a literal. One search covers all quotes: a search for each takes five times as
 * long.
 */
function holdsLiteral(text: string, quoted: string): boolean {
  for (let at = text.indexOf(quoted, 1); at !== -1; at = text.indexOf(quoted, at + 1)) {
    const quote = text[at - 1] ?? ''
    if (QUOTES.has(quote) && text[at + quoted.length] === quote) return true
  }
  return false
}

function holdersOf(
  quoted: string,
  { searchTerms, documentFrequency, filesHolding, fileText }: LiteralReader,
): RankerHit[] {
  const terms = new Map([...countTerms(quoted).keys()].map(term => [term, 1]))
  const rarest = Math.min(...[...terms.keys()].map(documentFrequency))
  if (terms.size === 0 || rarest === 0 || rarest > MAX_FREQUENCY) return []
  const holds = ({ repository, path }: FileName): boolean => holdsLiteral(fileText(repository, path) ?? '', quoted)
  const possible = filesHolding(`"${quoted}"`)
  if (possible === null) return filesOfChunks(searchTerms(terms, MAX_HITS), () => '', MAX_READ).filter(holds)
  const areFew = possible.length <= MAX_READ
  const holding = new Set((areFew ? possible.filter(holds) : possible).map(fileKey))
  return holding.size === 0
    ? []
    : filesOfChunks(searchTerms(terms, MAX_HITS), () => '', MAX_READ).filter(
        file => holding.has(fileKey(file)) && (areFew || holds(file)),
      )
}

/**
 * Files outside of the trace that contain what the message quotes as a literal of their own: a key, an option, a name
 * that somebody passed on. Scores are in (0, 1] for each quotation. Cost: reads at most 8 files for each of four
 * quotations.
 */
export function rankByQuotes(query: TraceQuery, reader: LiteralReader): RankerHit[] {
  const named = new Set(query.named.map(fileKey))
  const sum = new HitSum()
  for (const quoted of new Set(query.quoted.slice(0, MAX_TEXTS))) {
    const holders =
      quoted.length < MIN_CHARS || !/\p{L}/u.test(quoted)
        ? []
        : holdersOf(quoted, reader).filter(file => !named.has(fileKey(file)))
    for (const { repository, path, lines } of holders) {
      sum.add(
        { repository, path },
        1 / Math.sqrt(holders.length),
        () => `holds the literal ${quoted.slice(0, MAX_SHOWN)} of the message`,
        lines[0],
      )
    }
  }
  return sum.take(MAX_HITS)
}
