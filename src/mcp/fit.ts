import { Type } from '../core/type.ts'
import type { Caller } from './caller.ts'

/** As many tokens as a text may have that is only counted. */
const COUNTED = 1_000_000_000
const MAX_CHARS = 40_000
const MIN_CHARS = 120
const MAX_ITEMS = 400
/** What an answer has beside what is cut: our own sentences, and the fence around what is quoted. */
const FRAME_TOKENS = 300
const CUT = '… [cut]'

/** Tokens of an answer where nobody says how many. */
export const DEFAULT_TOKENS = 10_000
/** What the field names alone of a resolution or a job take, as data and as text. */
const MIN_TOKENS = 1_500

/** How large an answer may be. */
export const MaxTokens = Type.Optional(
  Type.Integer({
    minimum: MIN_TOKENS,
    maximum: 50_000,
    description:
      `The most tokens of the answer, its data and its text together; default ${DEFAULT_TOKENS}. What is cut ` +
      'says so',
  }),
)

interface Bounds {
  chars: number
  items: number
}

function withinBounds(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') {
    return value.length <= bounds.chars ? value : `${value.slice(0, bounds.chars).toWellFormed()}${CUT}`
  }
  if (Array.isArray(value)) return value.slice(0, bounds.items).map(item => withinBounds(item, bounds))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withinBounds(item, bounds)]))
}

/** A value that was cut to a number of tokens. */
interface Fitted<T> {
  value: T
  tokens: number
  isCut: boolean
}

const countIn = async (text: string, { cutToTokens }: Pick<Caller, 'cutToTokens'>): Promise<number> =>
  (await cutToTokens(text, COUNTED)).tokens

/** Tokens of data as they are sent. */
const tokensOfData = (data: unknown, caller: Pick<Caller, 'cutToTokens'>): Promise<number> =>
  countIn(JSON.stringify(data), caller)

/** Tokens of data and of a text that says the same. */
export const tokensOfBoth = async (data: unknown, text: string, caller: Pick<Caller, 'cutToTokens'>): Promise<number> =>
  (await tokensOfData(data, caller)) + (await countIn(text, caller))

/**
 * A value of JSON that has no more tokens than that, as near as cutting its longest texts and lists gets: its shape,
 * and what is short in it, stays.
 */
export async function fit<T>(value: T, maxTokens: number, caller: Pick<Caller, 'cutToTokens'>): Promise<Fitted<T>> {
  const tokens = await tokensOfData(value, caller)
  if (tokens <= maxTokens) return { value, tokens, isCut: false }
  const bounds: Bounds = { chars: MAX_CHARS, items: MAX_ITEMS }
  for (;;) {
    const cut = withinBounds(value, bounds)
    const left = await tokensOfData(cut, caller)
    const isSmallest = bounds.chars <= MIN_CHARS && bounds.items === 0
    if (left <= maxTokens || isSmallest) return { value: cut as T, tokens: left, isCut: true }
    bounds.chars = Math.max(MIN_CHARS, Math.floor(bounds.chars / 2))
    bounds.items = Math.floor(bounds.items / 2)
  }
}

/** An answer that says the same as data and as text. */
interface FittedBoth<T> {
  value: T
  text: string
  tokens: number
  /** What was cut, and how to have it; null: nothing. */
  cut: string | null
}

/**
 * Data and a text that says the same, which have no more tokens than that together. Each may have half; what the one
 * leaves goes to the other, as clients show the one or the other.
 *
 * @param more - How to have what was cut.
 */
export async function fitBoth<T>(
  { value, written, maxTokens, more }: { value: T; written: string; maxTokens: number; more: string },
  caller: Pick<Caller, 'cutToTokens'>,
): Promise<FittedBoth<T>> {
  const room = maxTokens - FRAME_TOKENS
  const spared = room - (await tokensOfData(value, caller))
  const forText = Math.min(await countIn(written, caller), Math.max(Math.floor(room / 2), spared))
  const data = await fit(value, room - forText, caller)
  const text = await caller.cutToTokens(written, Math.max(0, room - data.tokens))
  const tokens = data.tokens + text.tokens
  const isCut = data.isCut || text.text.length < written.length
  const isOver = tokens > room
  const to = isOver ? `as far as it goes, to about ${tokens + FRAME_TOKENS} tokens` : `to ${maxTokens} tokens`
  return { value: data.value, text: text.text, tokens, cut: isCut || isOver ? `Cut ${to}; ${more}.` : null }
}
