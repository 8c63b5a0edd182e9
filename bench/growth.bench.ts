// How much longer eight times the text takes, for what must be linear in the text of others: redaction, stack traces,
// outlines, fences of replies, fingerprints. No test asserts a time: tests count steps, or take texts so long that what
// is quadratic would not end.
// usage: node bench/growth.bench.ts [WORDS OF A ROW'S NAME]
// Prints for each kind the piece whose time grows most; with words, a row for each piece. Linear is 8, quadratic 64.
// Ends with 1 when one is over 24.
import { fencedBlocks } from '../src/edits/read/fenced-blocks.ts'
import { redact } from '../src/llm/redaction/redact.ts'
import { outlineOf } from '../src/outline/outline.ts'
import { fingerprint } from '../src/resolver/answer/fingerprint.ts'
import { parseStackTrace } from '../src/stack-trace/parse.ts'
import { codeTokens, hostilePieces, openingOf, SCANNED_LANGUAGES } from '../test/helpers/hostile-code.ts'
import { HOSTILE_SHAPES, LOG_SHAPES, ONE_LINE_SHAPES, shapedText } from '../test/helpers/log-shapes.ts'
import { randomFrom } from '../test/helpers/random-from.ts'
import { REDACTION_PIECES } from '../test/helpers/redaction-pieces.ts'

const TIMES = 8
const MAX_GROWTH = 3 * TIMES
const CHARS = 30_000
/** What takes less is the clock and the collector of garbage. */
const MIN_MS = 2
const ROUNDS = 3
const MIXTURES = 60

interface Growth {
  name: string
  smallMs: number
  largeMs: number
  ratio: number
}

/** Texts of any length, by a name. */
type Texts = ReadonlyArray<readonly [name: string, textOf: (length: number) => string]>

const wanted = process.argv[2] ?? ''
let failed = false

/** Milliseconds of processor time of this thread: others use the machine, too. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

function growthOf(name: string, textOf: (length: number) => string, work: (text: string) => unknown): Growth {
  const [small, large] = [textOf(CHARS), textOf(CHARS * TIMES)]
  const round = (least: Growth): Growth => {
    const smallMs = Math.min(
      least.smallMs,
      cpuMs(() => work(small)),
    )
    const largeMs = Math.min(
      least.largeMs,
      cpuMs(() => work(large)),
    )
    return { name, smallMs, largeMs, ratio: largeMs / Math.max(smallMs, MIN_MS) }
  }
  let growth = round({ name, smallMs: Infinity, largeMs: Infinity, ratio: Infinity })
  // a pause only ever adds
  for (let again = 1; again < ROUNDS && growth.ratio > TIMES; again++) growth = round(growth)
  return growth
}

function print(kind: string, { name, smallMs, largeMs, ratio }: Growth): void {
  const ms = `${smallMs.toFixed(1).padStart(7)} ms → ${largeMs.toFixed(1).padStart(8)} ms`
  const times = `×${ratio.toFixed(1).padStart(5)}  ${ms}`
  console.log(`${kind.padEnd(24)} ${times}  ${ratio > MAX_GROWTH ? 'GROWS  ' : ''}${name}`)
}

function measure(kind: string, texts: Texts, work: (text: string) => unknown): void {
  if (!kind.includes(wanted)) return
  for (const [, textOf] of texts.slice(0, 5)) work(textOf(CHARS)) // compiled before it is measured
  const grown = texts.map(([name, textOf]) => growthOf(name, textOf, work))
  failed ||= grown.some(({ ratio }) => ratio > MAX_GROWTH)
  const sorted = grown.sort((a, b) => b.ratio - a.ratio)
  for (const one of wanted === '' ? sorted.slice(0, 1) : sorted) print(kind, one)
}

const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

const textsOf = (pieces: readonly string[], opening = ''): Texts =>
  pieces.map(piece => [JSON.stringify(piece), length => opening + repeated(piece, length)])

/** Texts in which one to four pieces, chosen at random, are repeated behind a first one. */
function mixtures(pieces: readonly string[], opening = ''): Texts {
  const random = randomFrom(1)
  const one = (): string => pieces[Math.floor(random() * pieces.length)] ?? ''
  return Array.from({ length: MIXTURES }, () => {
    const head = one()
    const unit = Array.from({ length: 1 + Math.floor(random() * 4) }, one).join('')
    return [`${JSON.stringify(head)} ${JSON.stringify(unit)}`, length => opening + head + repeated(unit, length)]
  })
}

const shapes = (shapes: ReadonlyMap<string, (at: number) => string>): Texts =>
  [...shapes].map(([name, piece]) => [name, length => shapedText(piece, length)])

console.log(`${''.padEnd(24)} ${TIMES} times the text, from ${CHARS} characters`)
measure('redaction', [...textsOf(REDACTION_PIECES), ...mixtures(REDACTION_PIECES)], redact)
measure('stack traces, logs', shapes(LOG_SHAPES), parseStackTrace)
measure('stack traces, hostile', shapes(HOSTILE_SHAPES), parseStackTrace)
measure('stack traces, one line', shapes(ONE_LINE_SHAPES), parseStackTrace)
for (const language of SCANNED_LANGUAGES) {
  const opening = openingOf(language)
  const { known, others } = hostilePieces(language)
  measure(
    `outline, ${language}`,
    [...textsOf([...known, ...others], opening), ...mixtures(codeTokens(language), opening)],
    text => outlineOf(text, language),
  )
}
measure(
  'fences of replies',
  textsOf(['```\n', '```sh\na\n```\n', '~~~\n````\n', '<think>\n', '   ```\n x\n']),
  fencedBlocks,
)
measure('fingerprints', textsOf(['-', '/', "'", 'a.', '0x', 'f', '`"\'', '1.', 'a-']), message =>
  fingerprint({ index: 0, type: 'E', message, language: null, relation: 'root', count: 1, chain: 0 }, []),
)
process.exitCode = failed ? 1 : 0
