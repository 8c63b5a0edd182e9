import type { Caller } from './caller.ts'

/** As many tokens as a text may have that is only counted. */
const COUNTED = 1_000_000_000
const MAX_CHARS = 40_000
const MIN_CHARS = 120
const MAX_ITEMS = 400
const MIN_ITEMS = 5
const CUT = '… [cut]'

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

/**
 * A value of JSON that has no more tokens than that, as near as cutting its longest texts and lists gets: its shape,
 * and what is short in it, stays.
 */
export async function fit<T>(
  value: T,
  maxTokens: number,
  { cutToTokens }: Pick<Caller, 'cutToTokens'>,
): Promise<Fitted<T>> {
  const count = async (one: unknown): Promise<number> => (await cutToTokens(JSON.stringify(one), COUNTED)).tokens
  const tokens = await count(value)
  if (tokens <= maxTokens) return { value, tokens, isCut: false }
  const bounds: Bounds = { chars: MAX_CHARS, items: MAX_ITEMS }
  for (;;) {
    const cut = withinBounds(value, bounds)
    const left = await count(cut)
    const isSmallest = bounds.chars <= MIN_CHARS && bounds.items <= MIN_ITEMS
    if (left <= maxTokens || isSmallest) return { value: cut as T, tokens: left, isCut: true }
    bounds.chars = Math.max(MIN_CHARS, Math.floor(bounds.chars / 2))
    bounds.items = Math.max(MIN_ITEMS, Math.floor(bounds.items / 2))
  }
}
