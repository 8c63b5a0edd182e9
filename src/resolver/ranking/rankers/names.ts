import type { CodeReader } from '../../code/code-reader.ts'
import { nameTableOf, plainWord, type NameTable } from '../name-table.ts'
import type { TraceQuery } from '../trace-query.ts'
import { byScore, fileKey, type RankerHit } from './hits.ts'

/** Files whose names occur in the text. */
export interface NameLists {
  /** Files that a word of the message is the name of; without a message, a word of the text. */
  messageNames: RankerHit[]
  /**
   * Files at whose end of the path a qualified name of the text stands: `Style/StringConcatenation`, `shop.cart.Total`.
   */
  qualified: RankerHit[]
}

const MAX_FILES = 60
const MAX_SAME_NAME = 10
const MAX_WORDS = 2000
const MAX_QUALIFIED = 500
const QUALIFIED = /[\p{L}_][\p{L}\p{N}_-]{0,80}(?:(?:::|[/.\\$#])[\p{L}_][\p{L}\p{N}_-]{0,80}){1,12}/gu
const WORD = /[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_$]+)*/gu

function named(query: TraceQuery, table: NameTable): RankerHit[] {
  const [place, text] = query.message === '' ? ['the text', query.text] : ['the message', query.message]
  const best = new Map<string, RankerHit>()
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD)) if (words.add(word).size >= MAX_WORDS) break
  for (const word of words) {
    const files = query.exceptionNames.has(word) ? [] : table.stemmed(word)
    if (files.length > MAX_SAME_NAME) continue
    for (const { repository, path } of files) {
      const key = fileKey({ repository, path })
      const score = 1 / files.length
      if ((best.get(key)?.score ?? 0) < score) {
        best.set(key, { repository, path, score, why: `${place} names ${word.slice(0, 80)}`, lines: [] })
      }
    }
  }
  return [...best.values()].sort(byScore).slice(0, MAX_FILES)
}

const lastPart = (name: string): string => name.split(/[/.\\$#:]/).at(-1) ?? name

/** Files whose path ends like a qualified name of the text: `Style/StringConcatenation`, `shop.cart.Total`. */
function qualified(query: TraceQuery, table: NameTable): RankerHit[] {
  const best = new Map<string, RankerHit>()
  const names = new Set<string>()
  for (const [name] of `${query.message}\n${query.text}`.matchAll(QUALIFIED)) {
    if (names.add(name).size >= MAX_QUALIFIED) break
  }
  for (const name of names) {
    if (query.exceptionNames.has(lastPart(name))) continue
    const parts = name
      .split(/::|[/.\\$#]/)
      .map(plainWord)
      .filter(part => part !== '')
    for (const own of [parts, parts.slice(0, -1)]) {
      const found = own.length < 2 ? [] : table.endingIn(own)
      for (const { repository, path } of found.slice(0, MAX_SAME_NAME)) {
        const key = fileKey({ repository, path })
        const score = 1 / found.length
        if ((best.get(key)?.score ?? 0) < score) {
          best.set(key, { repository, path, score, why: `the text names ${name.slice(0, 80)}`, lines: [] })
        }
      }
    }
  }
  return [...best.values()].sort(byScore).slice(0, MAX_FILES)
}

/** Ranks files by names in the text. Rules, jobs, plug-ins, tables and views are often named like their files. */
export function rankByNames(query: TraceQuery, reader: Pick<CodeReader, 'files'>): NameLists {
  const table = nameTableOf(reader.files())
  return {
    messageNames: named(query, table),
    qualified: qualified(query, table),
  }
}
