import { eachIdentifier } from '../../core/tokenize.ts'
import type { Definition } from '../../core/outline.ts'
import type { CodeReader } from '../code-reader.ts'
import { folderOf, nameTableOf } from '../name-table.ts'
import type { FramePlace, TraceQuery } from '../trace-query.ts'
import { EvidenceSum, fileKey, type Evidence } from './evidence-list.ts'
import { bodyLines } from './lexical.ts'

export interface GraphLists {
  /** Definitions of names in the text. */
  mentioned: Evidence[]
  /** Definitions of names in the message. */
  messageDefinitions: Evidence[]
  /** What the failing lines and functions call or use. */
  callees: Evidence[]
  /** What uses the functions of the frames. */
  callers: Evidence[]
  /** Super- and subclasses of the frames' types. */
  hierarchy: Evidence[]
  /** Same-named functions elsewhere: overridden and sibling methods. */
  siblings: Evidence[]
  /** Files that the frames' files import, and that import them. */
  imports: Evidence[]
  /** Files of the frames' folders. */
  folder: Evidence[]
}

const MAX_FILES = 60
const MAX_DEFINITIONS = 20
const MAX_NAMES = 150
const MAX_CALLERS = 80
const MAX_SUBTYPES_READ = 40
const CALLEE_PLACES = 3
const MAX_LINE_CHARS = 300
const KEYWORDS = new Set('if for while return def class function self this new the not and or in is import from as with try except raise throw catch else elif end do const let var public private protected static final void int string bool true false null none nil print len str list dict set get type value name data key args kwargs result path file line error super async await yield switch case break continue default package func fn impl use mod pub match struct enum interface extends implements require include assert'.split(' '))

/** One hop over definitions, uses and imports from what the trace names. */
export function rankByGraph (query: TraceQuery, reader: CodeReader): GraphLists {
  return {
    mentioned: definedIn(query.text, 'the text', reader),
    messageDefinitions: definedIn(query.message, 'the message', reader),
    callees: callees(query.places.slice(0, CALLEE_PLACES), reader),
    callers: callers(query, reader),
    hierarchy: hierarchy(query.places.slice(0, 4), reader),
    siblings: sameNamed(query.places.slice(0, 4), reader),
    imports: imports(query.named.slice(0, 4), reader),
    folder: neighbours(query.named.slice(0, 2), reader),
  }
}

function definedIn (text: string, place: string, reader: CodeReader): Evidence[] {
  const names = new Set<string>()
  eachIdentifier(text, (name) => { if (name.length > 2 && names.size < MAX_NAMES && !KEYWORDS.has(name)) names.add(name) })
  const sum = new EvidenceSum()
  for (const name of names) {
    const definitions = reader.definitionsOf(name)
    if (definitions.length > MAX_DEFINITIONS) continue
    for (const definition of definitions) sum.add(definition, 1 / definitions.length, () => `defines ${name}, named in ${place}`, definition)
  }
  return sum.take(MAX_FILES)
}

function callees (places: readonly FramePlace[], reader: CodeReader): Evidence[] {
  const sum = new EvidenceSum()
  for (const [position, place] of places.entries()) {
    const seen = new Map<string, { gain: number, line: number }>()
    const body = bodyLines(place)
    for (const [offset, text] of body.lines.entries()) {
      const line = body.first + offset
      const nearness = place.line === null ? 0.2 : Math.exp(-Math.abs(line - place.line) / 6)
      for (const match of text.slice(0, MAX_LINE_CHARS).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
        const [name] = match
        if (name.length < 3 || KEYWORDS.has(name)) continue
        const isCall = text[match.index + name.length] === '('
        const gain = (isCall ? 1 : 0.5) * (0.3 + nearness) / (1 + position)
        if ((seen.get(name)?.gain ?? 0) < gain) seen.set(name, { gain, line })
      }
    }
    const nearest = [...seen].sort((a, b) => b[1].gain - a[1].gain).slice(0, MAX_NAMES / 2)
    for (const [name, { gain, line }] of nearest) {
      const definitions = reader.definitionsOf(name)
      if (definitions.length > 12) continue
      for (const definition of definitions) sum.add(definition, gain / definitions.length, () => `defines ${name}, used at ${place.path}:${line}`, definition)
    }
  }
  return sum.take(MAX_FILES)
}

function callers (query: TraceQuery, reader: CodeReader): Evidence[] {
  const sum = new EvidenceSum()
  const names = new Map<string, FramePlace>()
  for (const place of query.places) if (place.name !== null && place.name.length > 3 && !KEYWORDS.has(place.name) && !names.has(place.name)) names.set(place.name, place)
  const own = new Set(query.named.map(fileKey))
  let position = 0
  for (const [name, place] of [...names].slice(0, 4)) {
    const term = name.toLowerCase()
    const frequency = reader.documentFrequency(term)
    position++
    if (frequency === 0 || frequency > MAX_CALLERS) continue
    const seen = new Set<string>()
    for (const hit of reader.searchTerms(new Map([[term, 1]]), MAX_CALLERS)) {
      if (own.has(fileKey(hit)) || seen.has(fileKey(hit))) continue
      seen.add(fileKey(hit))
      sum.add(hit, 1 / Math.log2(2 + frequency) / position, () => `uses ${name}, which ${place.path} defines`, hit)
    }
  }
  return sum.take(MAX_FILES)
}

function hierarchy (places: readonly FramePlace[], reader: CodeReader): Evidence[] {
  const sum = new EvidenceSum()
  const seen = new Set<string>()
  for (const [position, place] of places.entries()) {
    const { type } = place
    if (type === null || seen.has(`${fileKey(place)} ${type.name}`)) continue
    seen.add(`${fileKey(place)} ${type.name}`)
    for (const name of supertypes(place)) {
      const definitions = reader.definitionsOf(name).filter(isType)
      if (definitions.length > 5) continue
      for (const definition of definitions) sum.add(definition, 1 / (1 + position), () => `defines ${name}, which ${type.name} is built on`, definition)
    }
    subtypes(type.name, place, reader).forEach((definition, _, all) => {
      sum.add(definition, 1 / (1 + position) / Math.sqrt(all.length), () => `${definition.name} is built on ${type.name}`, definition)
    })
  }
  return sum.take(MAX_FILES)
}

const isType = ({ kind }: Definition): boolean => kind !== 'function' && kind !== 'table'

function supertypes ({ type, lines }: FramePlace): string[] {
  if (type === null) return []
  const header = lines.slice(type.startLine - 1, type.startLine + 2).join(' ').slice(0, MAX_LINE_CHARS * 2)
  const after = header.slice(header.indexOf(type.name) + type.name.length)
  return [...new Set(after.split(/[{;]|:\s*$/, 1)[0]?.match(/\p{Lu}[\p{L}\p{N}_]+/gu) ?? [])].slice(0, 6)
}

/** Types whose header names this one. */
function subtypes (name: string, place: FramePlace, reader: CodeReader): Definition[] {
  const term = name.toLowerCase()
  const frequency = reader.documentFrequency(term)
  if (name.length < 4 || frequency === 0 || frequency > 300) return []
  const files = new Map<string, { repository: string, path: string }>()
  for (const hit of reader.searchTerms(new Map([[term, 1]]), 120)) if (files.size < MAX_SUBTYPES_READ && fileKey(hit) !== fileKey(place)) files.set(fileKey(hit), hit)
  const found: Definition[] = []
  for (const { repository, path } of files.values()) {
    const text = reader.fileText(repository, path) ?? ''
    if (!text.includes(name)) continue
    const lines = text.split('\n')
    for (const definition of reader.definitionsIn(repository, path)) {
      if (!isType(definition) || definition.name === name) continue
      const header = lines.slice(definition.startLine - 1, definition.startLine + 2).join(' ').slice(0, MAX_LINE_CHARS * 2).split(/[{;]/, 1)[0] ?? ''
      if (new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'u').test(header)) found.push(definition)
    }
  }
  return found
}

function sameNamed (places: readonly FramePlace[], reader: CodeReader): Evidence[] {
  const sum = new EvidenceSum()
  for (const [position, place] of places.entries()) {
    const { name } = place
    if (name === null || name.length < 4 || KEYWORDS.has(name)) continue
    const definitions = reader.definitionsOf(name).filter(definition => fileKey(definition) !== fileKey(place))
    for (const definition of definitions.slice(0, MAX_FILES)) {
      const near = folderOf(definition.path) === folderOf(place.path) ? 1 : 0.5
      sum.add(definition, near / Math.sqrt(definitions.length) / (1 + position), () => `defines another ${name}`, definition)
    }
  }
  return sum.take(MAX_FILES)
}

function imports (places: readonly FramePlace[], reader: CodeReader): Evidence[] {
  const sum = new EvidenceSum()
  for (const [position, place] of places.entries()) {
    const imported = reader.importsOf(place.repository, place.path)
    for (const file of imported) sum.add(file, 1 / (1 + position), () => `${place.path} imports it`)
    if (position > 1) continue
    const importers = reader.importersOf(place.repository, place.path)
    for (const file of importers) sum.add(file, 1 / (1 + position) / Math.sqrt(1 + importers.length / 10), () => `imports ${place.path}`)
  }
  return sum.take(MAX_FILES * 2)
}

function neighbours (places: readonly FramePlace[], reader: CodeReader): Evidence[] {
  const table = nameTableOf(reader.files())
  const sum = new EvidenceSum()
  for (const [position, place] of places.entries()) {
    const files = table.folder(place.repository, folderOf(place.path))
    if (files.length > MAX_FILES) continue
    for (const file of files) if (file.path !== place.path) sum.add(file, 1 / (1 + position), () => `lies beside ${place.path}`)
  }
  return sum.take(MAX_FILES)
}
