import type { CodeReader } from '../../code/code-reader.ts'
import { eachName } from '../../code/names-in-line.ts'
import { referencesOf } from '../references.ts'
import type { FramePlace, TraceQuery } from '../trace-query.ts'
import { HitSum, fileKey, type RankerHit } from './hits.ts'
import { isCommonWord } from './common-words.ts'
import { hierarchy } from './hierarchy.ts'

/** The files one hop away from those of the trace. */
export interface GraphLists {
  /** Files of what the failing lines and functions call or use. */
  callees: RankerHit[]
  /** What uses the types of the frames. */
  users: RankerHit[]
  /** Files of the super- and subclasses of the frames' types. */
  hierarchy: RankerHit[]
}

/** How close a file's words are to those of the failure, in [0, 1], to choose among many neighbours. */
export type Closeness = (file: { repository: string; path: string }) => number

const MAX_FILES = 60
const MAX_CALLEE_DEFINITIONS = 12
const MAX_USERS = 80
const USER_PLACES = 3
const MAX_LINE_CHARS = 300
const MAX_BODY_LINES = 120
const LINES_WITHOUT_SCOPE = 20
/** The number of names looked up for each place, nearest first. */
const CALLEES_LOOKED_UP = [40, 30, 20, 10, 10, 10, 10, 10]
const LEAST_CLOSENESS = 0.3

/** The function around a place; without an outline, the lines around it. */
function bodyLines({ scope, line, lines }: FramePlace): { first: number; lines: readonly string[] } {
  if (scope !== null && scope.kind === 'function') {
    return {
      first: scope.startLine,
      lines: lines.slice(scope.startLine - 1, Math.min(scope.endLine, scope.startLine + MAX_BODY_LINES)),
    }
  }
  const first = Math.max(1, (line ?? 1) - LINES_WITHOUT_SCOPE)
  return { first, lines: line === null ? [] : lines.slice(first - 1, line + LINES_WITHOUT_SCOPE) }
}

/** The names in a place's function. The nearer to the failing line the more they count, and calls count twice. */
function namesAround(place: FramePlace): Map<string, { gain: number; line: number }> {
  const names = new Map<string, { gain: number; line: number }>()
  const body = bodyLines(place)
  for (const [offset, text] of body.lines.entries()) {
    const line = body.first + offset
    const nearness = place.line === null ? 0.2 : Math.exp(-Math.abs(line - place.line) / 6)
    eachName(text, MAX_LINE_CHARS, (name, end) => {
      if (name.length < 3 || isCommonWord(name)) return
      const gain = (text[end] === '(' ? 1 : 0.5) * (0.3 + nearness)
      if ((names.get(name)?.gain ?? 0) < gain) names.set(name, { gain, line })
    })
  }
  return names
}

function callees(places: readonly FramePlace[], reader: CodeReader): RankerHit[] {
  const sum = new HitSum()
  for (const [position, place] of places.entries()) {
    const nearest = [...namesAround(place)]
      .sort((a, b) => b[1].gain - a[1].gain)
      .slice(0, CALLEES_LOOKED_UP[position] ?? 0)
    for (const [name, { gain, line }] of nearest) {
      const definitions = reader.fewDefinitionsOf(name, MAX_CALLEE_DEFINITIONS)
      if (definitions === null) continue
      for (const definition of definitions) {
        sum.add(
          definition,
          gain / definitions.length / (1 + position),
          () => `defines ${name}, used at ${place.path}:${line}`,
          definition,
        )
      }
    }
  }
  return sum.take(MAX_FILES)
}

const near = (closeness: number): number => LEAST_CLOSENESS + (1 - LEAST_CLOSENESS) * closeness

/** Files that use the types of the frames. */
function users(query: TraceQuery, reader: CodeReader, closeness: Closeness): RankerHit[] {
  const sum = new HitSum()
  const own = new Set(query.named.map(fileKey))
  const done = new Set<string>()
  for (const [position, { type, owner, path }] of query.places.slice(0, USER_PLACES).entries()) {
    const name = type?.name ?? owner
    if (name === null || name.length < 4 || isCommonWord(name) || done.has(name)) continue
    done.add(name)
    const hits = referencesOf(name, reader, MAX_USERS).filter(hit => !own.has(fileKey(hit)))
    const files = new Map(hits.toReversed().map(hit => [fileKey(hit), hit]))
    for (const hit of files.values()) {
      sum.add(hit, near(closeness(hit)) / (1 + position) / Math.sqrt(files.size), () => `uses ${name} of ${path}`, hit)
    }
  }
  return sum.take(MAX_FILES)
}

/** Follows definitions and uses one hop from what the trace names. Scores are in (0, 1). */
export function rankByGraph(query: TraceQuery, reader: CodeReader, closeness: Closeness): GraphLists {
  return {
    callees: callees(query.places, reader),
    users: users(query, reader, closeness),
    hierarchy: hierarchy(query.places, reader),
  }
}
