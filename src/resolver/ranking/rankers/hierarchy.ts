import type { Definition } from '../../../core/outline.ts'
import type { CodeReader } from '../../code/code-reader.ts'
import { hasWord } from '../../code/definitions.ts'
import { linesOf } from '../../code/file-texts.ts'
import type { SourceLines } from '../../code/source-lines.ts'
import { referencesOf } from '../references.ts'
import type { FramePlace } from '../trace-query.ts'
import { HitSum, fileKey, type RankerHit } from './hits.ts'

const MAX_PLACES = 4
const MAX_FILES = 60
const MAX_SUPERTYPES = 6
const MAX_SAME_NAME = 5
const MAX_READ = 30
const MAX_FREQUENCY = 200
const MAX_HEADER_CHARS = 500
const HEADER_LINES = 3

const isType = ({ kind }: Definition): boolean => kind !== 'function' && kind !== 'table' && kind !== 'module'

function headerOf(lines: SourceLines, startLine: number): string {
  const text = lines
    .slice(startLine - 1, startLine - 1 + HEADER_LINES)
    .map(line => line.slice(0, MAX_HEADER_CHARS))
    .join('\n')
    .slice(0, MAX_HEADER_CHARS)
  const end = text.search(/[{;]|:(?=\s*$)|:(?=\n)/)
  return end === -1 ? text : text.slice(0, end)
}

function supertypes({ type, lines }: FramePlace): string[] {
  if (type === null) return []
  const header = headerOf(lines, type.startLine)
  const after = header.slice(header.indexOf(type.name) + type.name.length)
  return [...new Set(after.match(/\p{Lu}[\p{L}\p{N}_]+/gu) ?? [])].slice(0, MAX_SUPERTYPES)
}

/** Types whose header names this one; looked for where the name occurs most. */
function subtypes(name: string, place: FramePlace, reader: CodeReader): Definition[] {
  if (name.length < 4) return []
  const files = new Map(
    referencesOf(name, reader, MAX_FREQUENCY)
      .filter(hit => fileKey(hit) !== fileKey(place))
      .map(hit => [fileKey(hit), hit]),
  )
  return [...files.values()].slice(0, MAX_READ).flatMap(({ repository, path }) => {
    const types = reader
      .definitionsIn(repository, path)
      .filter(definition => isType(definition) && definition.name !== name)
    if (types.length === 0) return []
    const lines = linesOf(reader.fileText(repository, path) ?? '')
    return types.filter(({ startLine }) => hasWord(headerOf(lines, startLine), name))
  })
}

/** The super- and subtypes of the frames' types, as far as their headers name each other. */
export function hierarchy(places: readonly FramePlace[], reader: CodeReader): RankerHit[] {
  const sum = new HitSum()
  const seen = new Set<string>()
  for (const place of places.slice(0, MAX_PLACES)) {
    const { type } = place
    const key = `${fileKey(place)}\n${type?.name ?? ''}`
    if (type === null || seen.has(key)) continue
    const weight = 1 / (1 + seen.size)
    seen.add(key)
    for (const name of supertypes(place)) {
      const definitions = reader.definitionsOf(name).filter(isType)
      if (definitions.length > MAX_SAME_NAME) continue
      for (const definition of definitions) {
        sum.add(
          definition,
          weight / definitions.length,
          () => `defines ${name}, which ${type.name} is built on`,
          definition,
        )
      }
    }
    const below = subtypes(type.name, place, reader)
    for (const definition of below) {
      sum.add(
        definition,
        weight / Math.sqrt(below.length),
        () => `${definition.name} is built on ${type.name}`,
        definition,
      )
    }
  }
  return sum.take(MAX_FILES)
}
