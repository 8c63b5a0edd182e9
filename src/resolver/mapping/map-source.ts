import type { Frame } from '../../core/frame.ts'
import { codePlace } from '../code/code-line.ts'
import { isOutput, mayBeCompiled } from './compiled-output.ts'
import type { FileIndex, IndexedFile } from '../code/file-index.ts'
import type { LoadedMap, MappedSource, Project } from './project.ts'
import { framePath } from './frame-path.ts'
import { readSourceMap, sourceMapOf, type NamedMap, type OriginalPlace, type SourceMap } from './source-map.ts'

/** The place in a source that a frame of a compiled file comes from. */
export interface SourcePlace {
  /** A source in the index. */
  file: IndexedFile
  line: number
  /** The line of that code in the text that is read; null when the source has changed since the map was made. */
  codeLine: number | null
  /** The path of the map, or of the file that contains it. */
  map: string
}

const MAX_CHAIN = 4 // a bundle of what a compiler wrote; maps may also name each other
const MAX_SEGMENTS = 40

/** A relative name inside the repository; null for URLs and for names that lead out of it. */
function resolved(url: string, from: string): string | null {
  if (/^(?:[a-z][a-z0-9+.-]{0,30}:|\/)/i.test(url)) return null
  const segments = from.split('/').slice(0, -1)
  for (const segment of url.split(/[?#]/, 1)[0]?.split('/') ?? []) {
    if (segment === '..' && segments.pop() === undefined) return null
    if (segment !== '..' && segment !== '.' && segment !== '') segments.push(segment)
  }
  return segments.join('/')
}

const isInstalled = (path: string): boolean => /(?:^|\/)(?:node_modules|bower_components)\//.test(path)

/**
 * The file that a map's source means: by its path relative to the map; below one of the folders above the map, from
 * which bundlers count; or, if it was printed from another root, by the rest of its path. Never a file that a package
 * manager installed.
 */
function fileOf(source: string, mapPath: string, repository: string, index: FileIndex): IndexedFile | null {
  const exact = resolved(source, mapPath)
  if (exact !== null && !isInstalled(exact)) {
    const file = index.at(exact, repository)
    if (file !== null) return file
  }
  const { path, origin } = framePath(source)
  if (origin !== 'project' || path === '' || isInstalled(path)) return null
  const segments = path.split('/').slice(-MAX_SEGMENTS)
  const folders = mapPath.split('/').slice(0, -1).slice(0, MAX_SEGMENTS)
  for (let from = 0; from < segments.length && (from === 0 || segments.length - from > 1); from++) {
    for (let length = folders.length; length >= 0; length--) {
      const file = index.at([...folders.slice(0, length), ...segments.slice(from)].join('/'), repository)
      if (file !== null) return file
    }
  }
  return null
}

function sourceIn(
  { path, sources }: LoadedMap,
  name: string,
  repository: string,
  { index, outputs }: Project,
): MappedSource {
  const known = sources.get(name)
  if (known !== undefined) return known
  const file = fileOf(name, path, repository, index)
  const found = { file, between: file === null ? fileOf(name, path, repository, outputs.compiled()) : null }
  sources.set(name, found)
  return found
}

function codeLineOf(
  { line, text }: OriginalPlace,
  { repository, path }: IndexedFile,
  { texts }: Project,
): number | null {
  return codePlace({ line, sourceText: text, function: null }, texts.lines(repository, path)).line
}

/** Reads a map at a path of the repository, whether it is in the index or not. */
function readMap(path: string, repository: string, { index, texts, outputs }: Project): SourceMap | null {
  const read = (): string | null => {
    if (index.at(path, repository) !== null) return texts.text(repository, path)
    return outputs.tracked().at(path, repository) === null ? null : outputs.text(repository, path)
  }
  const text = read()
  return text === null ? null : readSourceMap(text)
}

/**
 * The map that a compiled file outside of the index contains or names. A large bundle is read only when no map lies
 * beside it.
 */
function mapOfOutput(path: string, beside: string, repository: string, { outputs }: Project): NamedMap | null {
  const tracked = outputs.tracked()
  if (tracked.at(beside, repository) !== null || tracked.at(path, repository) === null) return null
  return sourceMapOf(outputs.text(repository, path) ?? '')
}

function findMap({ repository, path }: IndexedFile, project: Project): LoadedMap | null {
  const { index, texts } = project
  const beside = `${path}.map`
  const isIndexed = index.at(path, repository) !== null
  const textIn = (): string => texts.text(repository, path) ?? ''
  const named = isIndexed ? sourceMapOf(textIn()) : mapOfOutput(path, beside, repository, project)
  const hasMap = named !== null || index.at(beside, repository) !== null
  if (isIndexed && !hasMap && !isOutput(path.split('/'))) return null // a source, most likely
  if (named !== null && 'map' in named) {
    const map = readSourceMap(named.map)
    return map === null ? null : { map, path, sources: new Map() }
  }
  const url = named === null ? null : resolved(named.url, path)
  for (const at of [url, beside].filter(at => at !== null)) {
    const map = readMap(at, repository, project)
    if (map !== null) return { map, path: at, sources: new Map() }
  }
  return null
}

/** The map that a compiled file contains or names, or else the one beside it. Read once for all frames. */
function mapOf(file: IndexedFile, project: Project): LoadedMap | null {
  if (!mayBeCompiled(file.path)) return null
  const key = JSON.stringify([file.repository, file.path])
  const known = project.maps.get(key)
  if (known !== undefined) return known
  const found = findMap(file, project)
  project.maps.set(key, found)
  return found
}

/** The place in a source of the index that a compiled file's source map gives; null when there is no such map. */
export function findBySourceMap(
  file: IndexedFile,
  frame: Pick<Frame, 'line' | 'column'>,
  project: Project,
): SourcePlace | null {
  let { line, column } = frame
  let compiled = file
  for (let step = 0; step < MAX_CHAIN && line !== null; step++) {
    const found = mapOf(compiled, project)
    const place = found?.map.placeOf(line, column) ?? null
    if (found === null || place === null) return null
    const { file: source, between } = sourceIn(found, place.source, compiled.repository, project)
    if (source !== null) {
      return { file: source, line: place.line, codeLine: codeLineOf(place, source, project), map: found.path }
    }
    if (between === null) return null
    ;({ line, column } = place)
    compiled = between
  }
  return null
}
