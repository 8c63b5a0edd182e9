import type { FileBlock } from '../edit.ts'
import { COMMANDS, EXTENSIONS_OF, FILE_WORD, LABEL, NOT_A_FILE, PART, PLACE, WHOLE } from './name-words.ts'
import { isPathLike } from './path-like.ts'
import { fileOfPlace } from './place-in-file.ts'
import {
  isNameWithBlanks,
  quotedIn,
  stripQuotes,
  trimNameEnd,
  unbracketed,
  withoutDecoration,
  withoutRemark,
} from './plain-name.ts'

/** The name of a file, as a reply gives it to a block. */
export interface FileName {
  /** As the reply spells it; whether it is safe to write is not known yet. */
  path: string
  named: FileBlock['named']
  /** The line says that the file is new. */
  isNew?: boolean
  /** Numbers of lines stand with it. */
  isOfLines?: boolean
  /** The line of the block that gives it, where one does. */
  ownLine?: string
}

/** A longer line is no name. */
export const MAX_NAME_LINE = 600
/** What says of a file that it is new; "the new app.py" does not. */
const SAYS_NEW =
  /\bnew file\b|\bcreat(?:e|es|ed|ing)\b|[[(]new[\])]|^\W*new\b|новый файл|созда|neue datei|nouveau fichier|nuevo archivo|新建|创建/i
const MAX_LABEL_CHARS = 60
const CLOSING_TAG = /^\s*<\/[A-Za-z][\w:-]*>\s*$/

/** A line that is nothing but a name, quoted or not. */
function wholeName(text: string, isHeading: boolean): string | null {
  const bare = trimNameEnd(text)
  const inner = stripQuotes(bare)
  const link = /^\[([^\]]+)\]\([^)]*\)$/.exec(inner)?.[1]
  const plain = stripQuotes(link ?? trimNameEnd(inner))
    .replace(/^\d{1,3}[.)]\s+/, '')
    .replace(/(?<=\S)\s+file$/i, '')
  const name = unbracketed(stripQuotes(plain))
  if (/\s/.test(name)) return inner !== bare && isNameWithBlanks(name) ? name : null
  const isQuoted = inner !== bare
  const endsLikeSentence = text.endsWith(':') && (!isQuoted || plain.endsWith('file'))
  const doubt = (isHeading && !isQuoted) || endsLikeSentence ? 'strict' : 'lenient'
  return isPathLike(name, doubt) ? name : null
}

/** The only quoted name behind a label, with no more than a few words around it. */
function onlyQuotedName(rest: string, quoted: readonly string[]): string | null {
  const [name, other] = quoted
  if (name === undefined || other !== undefined) return null
  const around = trimNameEnd(rest.replace(/`[^`]*`|"[^"]*"|'[^']*'/, '')).trim()
  const isName = around.split(/\s+/).length <= 4 && isNameWithBlanks(name) && !NOT_A_FILE.test(rest.replace(name, ''))
  return isName ? name : null
}

/** The name behind a label and a colon, `File: x`, even with blanks in it. */
function labelledName(text: string): string | null {
  const colon = /[:：]/.exec(text)
  if (colon === null || colon.index > MAX_LABEL_CHARS) return null
  const label = text
    .slice(0, colon.index)
    .replace(/[`"'*_]/g, '')
    .trim()
  if (!LABEL.test(label)) return null
  const rest = text
    .slice(colon.index + 1)
    .replace(/^[`"'*_\s]+(?=[`"']\S|\s)/, '')
    .trim()
  const hasLoneBacktick = rest.split('`').length === 2
  const quoted = hasLoneBacktick ? [] : quotedIn(rest)
  if (quoted.length > 0) return onlyQuotedName(rest, quoted)
  const unquoted = rest.endsWith('`') && !rest.startsWith('`') ? rest.slice(0, -1) : rest
  const bare = stripQuotes(trimNameEnd(withoutRemark(unquoted)))
  if (!/\s/.test(bare)) return isPathLike(bare, 'lenient') ? bare : null
  return isNameWithBlanks(bare) && !/^step/i.test(label) && bare.split(/\s+/).length <= 5 ? bare : null
}

/** The name in `File src/a.py:`, without a colon between. */
function nameAfterWord(text: string): string | null {
  const cut = /^(.{1,40}?)\s+(\S+)$/.exec(trimNameEnd(text))
  if (cut === null || !FILE_WORD.test(cut[1] ?? '')) return null
  const name = stripQuotes(cut[2] ?? '')
  return isPathLike(name, 'strict') ? name : null
}

/** The name before a remark in brackets that announces all of the file: `src/a.py (new file)`. */
function annotatedName(text: string): string | null {
  const [, word = '', remark] = /^(\S+)\s+(\([^()]*\))$/.exec(trimNameEnd(text)) ?? []
  if (remark === undefined) return null
  const name = stripQuotes(trimNameEnd(word))
  return isPathLike(name, 'strict') && WHOLE.test(remark) ? name : null
}

/** The name before a dash and a remark: `src/a.py — where it starts`. The remark may announce a part. */
function remarkedName(text: string, isHeading: boolean): FileName | null {
  const [, word = '', remark = ''] = /^(\S+)\s+(?:[—–]|--?)\s+(\S.*)$/.exec(text) ?? []
  const path = stripQuotes(trimNameEnd(word))
  if (remark === '' || !isPathLike(path, 'strict') || (!isHeading && NOT_A_FILE.test(remark))) return null
  return { path, named: PART.test(remark) ? 'sentence' : 'line' }
}

/** The only quoted name of a sentence that may announce a file. */
function nameInSentence(text: string, language: string): FileName | null {
  const names = new Set(quotedIn(text).filter(token => !/\s/.test(token) && isPathLike(token, 'strict')))
  const [path] = names
  if (path === undefined || names.size > 1) return null
  const around = text.replaceAll(path, '')
  if (NOT_A_FILE.test(around)) return null
  const name: FileName = { path, named: PART.test(around) || PLACE.test(text) ? 'part' : 'sentence' }
  if (language === '') return trimNameEnd(text, '`"\'”»)').endsWith(path) ? name : null
  const extensions = EXTENSIONS_OF.get(language)
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return extensions === undefined || extensions.has(extension) ? name : null
}

/** The name that a line above a fence gives it. */
function readName(line: string, language: string): FileName | null {
  const { text, isHeading } = withoutDecoration(line)
  if (text === '') return null
  const place = COMMANDS.has(language) ? null : fileOfPlace(trimNameEnd(text))
  if (place !== null) return { path: place, named: 'part', isOfLines: true }
  const sure = wholeName(text, isHeading) ?? labelledName(text) ?? nameAfterWord(text)
  if (sure !== null) return { path: sure, named: 'line' }
  if (COMMANDS.has(language)) return null
  const annotated = annotatedName(text)
  if (annotated !== null) return { path: annotated, named: 'line' }
  return remarkedName(text, isHeading) ?? nameInSentence(text, language)
}

/**
 * Returns the name that a line above a fence gives it. One path-like token is a name; among several words only one that
 * is quoted, or follows a label, is.
 *
 * @param language - The language of the fence in lower case; '' for none.
 */
export function nameFromLine(line: string, language: string): FileName | null {
  if (line.length > MAX_NAME_LINE || CLOSING_TAG.test(line)) return null
  const name = readName(line, language)
  return name !== null && SAYS_NEW.test(line.replace(name.path, '')) ? { ...name, isNew: true } : name
}
