import { trimEndOf } from '../text/trim-end-of.ts'
import { isPathLike } from './path-like.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Verbs that ask for a file to go, in the languages that models answer in. */
const DELETES = words(
  'delete deleted deleting remove removed removing drop dropped rm rid lösche löschen entferne entfernen supprime ' +
    'supprimer supprimez elimina eliminar borra borrar удали удалите удалить 删除',
)
const MOVES = words('rename renamed renaming move moved moving mv')
/** Words between such a verb and the names. */
const BETWEEN = words(
  'of the this that your both also now then old obsolete unused empty stale legacy dead entire whole existing ' +
    'original now-unused file files module script test helper die datei le fichier el archivo файл файлы 文件',
)
const AND = words('and und et y и & +')
/** Words that may follow the names: "delete `a.py` imports" is not about the file. */
const BEHIND = words(
  'as since because which that too entirely altogether completely afterwards once now and then in file files ' +
    'module - – — weil da car porque так',
)
const TO = words('to into -> → as nach zu')
/** What stands between a name and a verb behind it: "can now be deleted". */
const AUXILIARIES = words('can should must may has have had needs need to now then safely also be is are was were been')
const BE = words('be is are was were been')
const GONE = words('deleted removed dropped gone')
const FROM = words('from by in of when if on')
/** Words of a sentence that leaves it open, or says that it is not so. */
const LEAVES_OPEN = words(
  "if unless optional optionally don't not never without instead would could might want before until when wenn " +
    'nicht ne pas si если не 如果 不要',
)
/** What a sentence begins with that tells what a program does, and when. */
const HAPPENS = words('on at during upon each every while whenever whilst bei beim при al au')
const SENTENCE = /(?<=[.!?;。])\s+/
const MAX_LINE = 2000
const MAX_HEAD = 120
/** The verbs, for a first look at a line. */
const MAY_SAY_SO = /delet|remov|drop|\brm\b|rid of|renam|\bmov|\bmv\b|lösch|entfern|supprim|elimin|borra|удал|删除/i

/** A word of a sentence. */
interface Word {
  /** In small letters, without the signs around it. */
  word: string
  /** The path that it is; null for any other. */
  path: string | null
  /** A sign ends the clause behind it. */
  isLast: boolean
}

const ENDS = '.,;:!?)]'
const AROUND = '*_"\'”'

function wordOf(raw: string): Word {
  const text = raw.replace(/^[[(*_"'“]+/, '').replace(/\]\([^()]*\)/, '')
  const inner = trimEndOf(text, AROUND)
  const bare = trimEndOf(inner, ENDS + AROUND)
  const name = bare.replaceAll(/[`*]/g, '').replace(/^\.\//, '')
  const isPath = /[./]/.test(name) && !/['’]/.test(name) && isPathLike(name, 'lenient')
  return { word: bare.toLowerCase(), path: isPath ? name : null, isLast: trimEndOf(inner, ENDS) !== inner }
}

const wordAt = (sentence: readonly Word[], at: number): string => sentence[at]?.word ?? ''

/** The names that stand in a list from a word on, and the word behind them. */
function listAt(sentence: readonly Word[], from: number): { paths: string[]; end: number } {
  const paths: string[] = []
  let at = from
  for (;;) {
    const path = sentence[at]?.path ?? null
    if (path === null) return { paths, end: at }
    paths.push(path)
    const isAnd = AND.has(wordAt(sentence, at + 1)) && typeof sentence[at + 2]?.path === 'string'
    at += isAnd ? 2 : 1
  }
}

/** Whether the clause ends behind names, or goes on about the files themselves. */
function isSaidOfFiles(sentence: readonly Word[], end: number): boolean {
  const next = sentence[end]
  return next === undefined || sentence[end - 1]?.isLast === true || BEHIND.has(next.word)
}

/** The names behind a verb at a word, where it is said of the files themselves. */
function behindVerb(sentence: readonly Word[], at: number): string[] {
  const isMove = MOVES.has(wordAt(sentence, at))
  if (!isMove && !DELETES.has(wordAt(sentence, at))) return []
  let from = at + 1
  while (BETWEEN.has(wordAt(sentence, from))) from++
  const { paths, end } = listAt(sentence, from)
  const isSaid = isMove ? TO.has(wordAt(sentence, end)) : isSaidOfFiles(sentence, end)
  return isSaid ? paths : []
}

/** The names that stand from a word on before a verb: "`a.py` can be deleted". */
function beforeVerb(sentence: readonly Word[], at: number): string[] {
  const { paths, end } = listAt(sentence, at)
  let verb = end
  while (AUXILIARIES.has(wordAt(sentence, verb))) verb++
  const isSaid = sentence.slice(end, verb).some(({ word }) => BE.has(word)) && GONE.has(wordAt(sentence, verb))
  return isSaid && !FROM.has(wordAt(sentence, verb + 1)) ? paths : []
}

const WHICH = '(?:(?:the|these|following|old|obsolete|unused)\\s+){0,4}files?'
const THAT_GO = '(?:that\\s+(?:can|should|must)\\s+(?:now\\s+)?be\\s+|to\\s+(?:be\\s+)?|i\\s+)?(?:deleted?|removed?)'
const GO = '(?:(?:also|then|please)\\s+)?(?:deleted?|removed?)'
/** What a line says that has a list of files below it, which are to go. */
const LIST_HEAD = new RegExp(`^[^\\p{L}]{0,8}(?:${WHICH}\\s+${THAT_GO}|${GO}\\s+${WHICH})\\b[^\\p{L}]{0,8}$`, 'iu')

/** Whether a line heads a list of files that are to go: "Files to delete:". */
export const isDeletionList = (line: string): boolean =>
  line.length < MAX_HEAD && MAY_SAY_SO.test(line) && LIST_HEAD.test(line)

/** The files that a line of prose says are to go, or to have another name. */
export function deletionsIn(line: string): string[] {
  if (line.length > MAX_LINE || !MAY_SAY_SO.test(line)) return []
  const found = new Set<string>()
  for (const text of line.split(SENTENCE)) {
    const sentence = text.trim().split(/\s+/).map(wordOf)
    if (HAPPENS.has(wordAt(sentence, 0)) || sentence.some(({ word }) => LEAVES_OPEN.has(word))) continue
    for (let at = 0; at < sentence.length; at++) {
      for (const path of [...behindVerb(sentence, at), ...beforeVerb(sentence, at)]) found.add(path)
    }
  }
  return [...found]
}
