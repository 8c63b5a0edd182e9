import { tokenize } from '../../core/tokenize.ts'
import type { CodeReader } from '../code-reader.ts'
import { nameTableOf, type NameTable } from '../name-table.ts'
import type { TraceQuery } from '../trace-query.ts'
import { EvidenceSum, fileKey, type Evidence } from './evidence-list.ts'

export interface NameLists {
  /** Files that a word of the message is the name of. */
  messageNames: Evidence[]
  /** Files that a word of the text is the name of. */
  textNames: Evidence[]
  /** Files whose path shares rare words with the message. */
  messagePaths: Evidence[]
  textPaths: Evidence[]
}

const MAX_FILES = 60
const MAX_SAME_NAME = 10
const MAX_WORDS = 2000
const WORD = /[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_$]+)*/gu

/** Names of rules, jobs, plug-ins, tables and views are often names of files. */
export function rankByNames (query: TraceQuery, reader: Pick<CodeReader, 'files'>): NameLists {
  const table = nameTableOf(reader.files())
  return {
    messageNames: named(query.message, 'the message', table),
    textNames: named(query.text, 'the text', table),
    messagePaths: sharing(query.message, 'the message', table),
    textPaths: sharing(query.text, 'the text', table),
  }
}

function named (text: string, place: string, table: NameTable): Evidence[] {
  const best = new Map<string, Evidence>()
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD)) if (words.add(word).size >= MAX_WORDS) break
  for (const word of words) {
    const files = table.stemmed(word)
    if (files.length > MAX_SAME_NAME) continue
    for (const { repository, path } of files) {
      const key = fileKey({ repository, path })
      const score = 1 / files.length
      if ((best.get(key)?.score ?? 0) < score) best.set(key, { repository, path, score, why: `${place} names ${word.slice(0, 80)}`, lines: [] })
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, MAX_FILES)
}

/** Words of a path count by their rarity among the paths, and the less the more words a path has. */
function sharing (text: string, place: string, table: NameTable): Evidence[] {
  const scores = new Map<number, number>()
  const total = table.files.length
  for (const word of new Set(tokenize(text))) {
    const files = table.withPathWord(word)
    if (files.length > total / 8 + 3) continue
    const gain = Math.log(total / files.length)
    for (const id of files) scores.set(id, (scores.get(id) ?? 0) + gain)
  }
  const sum = new EvidenceSum()
  const best = [...scores].map(([id, score]) => ({ id, score: score / Math.sqrt(table.pathWords[id] ?? 1) })).sort((a, b) => b.score - a.score || a.id - b.id).slice(0, MAX_FILES)
  for (const { id, score } of best) {
    const file = table.files[id]
    if (file !== undefined) sum.add(file, score, () => `its path shares words with ${place}`)
  }
  return sum.take(MAX_FILES)
}
