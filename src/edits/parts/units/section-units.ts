import { indentOf } from '../../text/indentation.ts'
import { trimEndOf } from '../../text/trim-end-of.ts'
import type { FileUnits, Unit } from './unit.ts'

/** A line that begins a unit. */
interface Mark {
  name: string
  /** Units of a deeper level stand in it. */
  level: number
  line: number
  kind: Unit['kind']
}

/** A longer line begins no unit. */
const MAX_LINE = 500

const isBlank = (line: string | undefined): boolean => line?.trim() === ''

/** The line from which a comment belongs to what stands below it. */
function leadOf(lines: readonly string[], mark: Mark, { floor, comment }: { floor: number; comment: RegExp }): number {
  let lead = mark.line
  while (lead - 1 >= floor && comment.test(lines[lead - 1] ?? '')) lead--
  return lead
}

/** Units that go from one mark to the next of its level or above, without the blank lines between. */
function unitsBetween(lines: readonly string[], marks: readonly Mark[], comment: RegExp): FileUnits {
  const units: Unit[] = []
  const open: Array<{ index: number; level: number }> = []
  const closeAt = (line: number, level: number): void => {
    for (let top = open.at(-1); top !== undefined && top.level >= level; top = open.at(-1)) {
      open.pop()
      const unit = units[top.index]
      if (unit === undefined) continue
      unit.last = Math.max(unit.start, line - 1)
      while (unit.last > unit.start && (isBlank(lines[unit.last]) || comment.test(lines[unit.last] ?? ''))) unit.last--
    }
  }
  for (const mark of marks) {
    const floor = (units.at(-1)?.start ?? -1) + 1
    const lead = leadOf(lines, mark, { floor, comment })
    closeAt(lead, mark.level)
    const parent = open.at(-1)?.index ?? null
    const around = parent === null ? undefined : units[parent]
    if (around?.kind === 'leaf') around.kind = 'container'
    const { name, line, kind } = mark
    open.push({ index: units.push({ name, parent, start: line, last: line, lead, kind }) - 1, level: mark.level })
  }
  closeAt(lines.length, -1)
  return { units, hasLines: true, broken: null, imports: [], account: 'lines' }
}

const NOTHING = /^(?!)/
const HASH = /^\s*#/
const HASH_OR_SEMICOLON = /^\s*[#;!]/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/

/** The sections of a Markdown text, by their headings; those in fences are none. */
export function markdownUnits(lines: readonly string[]): FileUnits {
  const marks: Mark[] = []
  let fence: string | null = null
  for (const [line, text] of lines.entries()) {
    const mark = FENCE.exec(text)?.[1]
    if (mark !== undefined) {
      if (fence === null) fence = mark
      else if (mark.startsWith(fence)) fence = null
      continue
    }
    if (fence !== null || text.length > MAX_LINE) continue
    const [, hashes, title] = HEADING.exec(text) ?? []
    if (hashes !== undefined && title !== undefined) {
      const name = trimEndOf(title, ' \t#')
      marks.push({ name, level: hashes.length, line, kind: 'leaf' })
    }
  }
  return unitsBetween(lines, marks, NOTHING)
}

const SECTION = /^\s*\[{1,2}([^\][]+)\]/
const KEY = /^\s*(?:export\s+)?("[^"]*"|'[^']*'|[\w.:/@$*-]+(?: [\w.:/@$*-]+){0,3})\s*(?:=|:(?=\s|$))/

/** The sections and keys of a file of settings: TOML, INI, properties, `.env`. */
export function settingsUnits(lines: readonly string[]): FileUnits {
  const marks: Mark[] = []
  for (const [line, text] of lines.entries()) {
    if (HASH_OR_SEMICOLON.test(text) || text.length > MAX_LINE) continue
    const section = SECTION.exec(text)?.[1]?.trim()
    const key = KEY.exec(text)?.[1]
    if (section !== undefined) marks.push({ name: section, level: 0, line, kind: 'leaf' })
    else if (key !== undefined && (indentOf(text) === '' || marks.length === 0)) {
      marks.push({ name: key, level: 1, line, kind: 'leaf' })
    }
  }
  return unitsBetween(lines, marks, HASH_OR_SEMICOLON)
}

const YAML_DASHES = /^(?:- +)*/
const YAML_KEY = /^(?:"[^"]*"|'[^']*'|[^\s#:'"{}[\]&*!|>%@`,-][^#:]*|[\w.-]+):(?=\s|$)/
const YAML_BLOCK = /^[|>][+-]?\d?(?:\s|$)/

/** A line of YAML: where it begins, its dashes, its key, and what follows. */
function yamlLine(text: string): { indent: number; dashes: number; key: string | null; rest: string } {
  const indent = indentOf(text).length
  const body = text.slice(indent)
  const dashes = YAML_DASHES.exec(body)?.[0].length ?? 0
  const own = body.slice(dashes)
  const key = YAML_KEY.exec(own)?.[0] ?? null
  return {
    indent,
    dashes,
    key: key === null ? null : key.slice(0, -1).trim(),
    rest: own.slice(key?.length ?? 0).trim(),
  }
}

/** What a line of YAML begins; null for one that goes on with a value. */
function yamlMark(text: string, line: number): Mark | null {
  const { indent, dashes, key, rest } = yamlLine(text)
  if (dashes === 0) return key === null ? null : { name: key, level: indent, line, kind: 'leaf' }
  // The first key of an item names it: `- name: Build`; a version is no part of the name.
  const value = key === 'uses' ? rest.split('@', 1).join('') : rest
  const name = key === null ? rest : `${key}: ${value}`
  return { name, level: indent + 1, line, kind: 'leaf' }
}

/** The keys of a YAML text, nested; the items of lists by their value or their first key. */
export function yamlUnits(lines: readonly string[]): FileUnits {
  const marks: Mark[] = []
  let textDeeperThan = -1
  for (const [line, text] of lines.entries()) {
    if (isBlank(text)) continue
    const indent = indentOf(text).length
    if (textDeeperThan >= 0 && indent > textDeeperThan) continue
    textDeeperThan = -1
    if (HASH.test(text) || text.length > MAX_LINE) continue
    const mark = yamlMark(text, line)
    if (mark !== null) marks.push(mark)
    if (YAML_BLOCK.test(yamlLine(text).rest)) textDeeperThan = indent
  }
  return unitsBetween(lines, marks, HASH)
}

const TARGET = /^([^\s#:=][^#:=]*):{1,2}(?!=)/
const MAKE_VARIABLE = /^(?:export\s+|override\s+|define\s+)?([\w.-]+)\s*(?:[:?+!]{0,2}=)/

/** The targets and variables of a Makefile. */
export function makeUnits(lines: readonly string[]): FileUnits {
  const marks = lines.flatMap((text, line): Mark[] => {
    if (text.length > MAX_LINE) return []
    const name = MAKE_VARIABLE.exec(text)?.[1] ?? TARGET.exec(text)?.[1]?.trim()
    if (name === undefined || text.startsWith('\t')) return []
    return [{ name, level: 0, line, kind: 'leaf' }]
  })
  return unitsBetween(lines, marks, HASH)
}

/** The lines of a list: requirements, ignored paths, owners; each is called by its first word. */
export function listUnits(lines: readonly string[]): FileUnits {
  const marks = lines.flatMap((text, line): Mark[] => {
    const name = /^\s*([^\s#=<>~;]+)/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, level: 0, line, kind: 'leaf' }]
  })
  return unitsBetween(lines, marks, HASH)
}
