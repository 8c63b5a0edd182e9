/** Cuts answers to what was asked for. */
export interface Budget {
  maxTokens: number
  countTokens: (text: string) => number
}

/** Some of the items of a list, and where the next ones begin. */
export interface Page<Item> {
  data: Item[]
  total: number
  offset: number
  nextOffset: number | null
  tokens: number
  notice: string | null
}

/** How the items of a list are shown. */
interface Showing<Found, Item> {
  show: (found: Found) => Item | PromiseLike<Item>
  /** What is counted of an item. */
  textOf: (item: Item) => string
  /** An item of at most so many tokens; for a first one that is larger than the whole answer may be. */
  cut: (item: Item, maxTokens: number) => Item
}

function noticeOf({
  shown,
  total,
  offset,
  nextOffset,
  maxTokens,
  isCut,
}: Pick<Page<unknown>, 'total' | 'offset' | 'nextOffset'> & {
  shown: number
  maxTokens: number
  isCut: boolean
}): string | null {
  const said: string[] = []
  if (isCut) said.push(`What is shown is cut to ${maxTokens} tokens; a larger max_tokens shows more.`)
  if (nextOffset !== null) said.push(`${shown} of ${total} are shown; "offset": ${nextOffset} goes on.`)
  if (shown === 0 && offset > 0) said.push(`There are ${total}, so none at offset ${offset}.`)
  return said.length === 0 ? null : said.join(' ')
}

/**
 * The items from an offset on that fit; at least one where there is any, so that no page is empty.
 */
export async function pageOf<Found, Item>(
  found: readonly Found[],
  { offset, limit }: { offset: number; limit: number },
  { show, textOf, cut }: Showing<Found, Item>,
  { maxTokens, countTokens }: Budget,
): Promise<Page<Item>> {
  const data: Item[] = []
  let tokens = 0
  let isCut = false
  for (const one of found.slice(offset, offset + limit)) {
    let item: Item = await show(one)
    let own = countTokens(textOf(item))
    if (own > maxTokens && data.length === 0) {
      item = cut(item, maxTokens)
      own = countTokens(textOf(item))
      isCut = true
    }
    if (data.length > 0 && tokens + own > maxTokens) break
    data.push(item)
    tokens += own
  }
  const end = offset + data.length
  const nextOffset = end < found.length && data.length > 0 ? end : null
  return {
    data,
    total: found.length,
    offset,
    nextOffset,
    tokens,
    notice: noticeOf({ shown: data.length, total: found.length, offset, nextOffset, maxTokens, isCut }),
  }
}

const MIN_CHARS = 80

/**
 * The first lines of a text that take no more tokens than that; of a first line that takes more, its beginning.
 */
export function firstLines(text: string, { maxTokens, countTokens }: Budget): string {
  if (countTokens(text) <= maxTokens) return text
  const lines = text.split('\n')
  const kept: string[] = []
  let tokens = 0
  for (const line of lines) {
    tokens += countTokens(`${line}\n`)
    if (tokens > maxTokens) break
    kept.push(line)
  }
  if (kept.length > 0) return kept.join('\n')
  // a token is seldom less than a character
  return (lines[0] ?? '').slice(0, Math.max(MIN_CHARS, maxTokens)).toWellFormed()
}
