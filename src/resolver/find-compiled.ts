import type { Frame } from '../core/frame.ts'
import { isOutput, isSourceOf, mayBeCompiled, sourceStem, tellingFolders } from './compiled-output.ts'
import { definitionLines } from './definitions.ts'
import { functionParts } from './function-name.ts'
import { originalPlace, sourceMapOf } from './source-map.ts'
import { baseName, stemOf, type IndexedFile } from './file-index.ts'
import { MAX_CANDIDATES, type Found, type Place, type Project } from './found.ts'
import { likelihoodOf } from './source-roots.ts'

const MAX_READ = 20

/**
 * The source of a compiled file that is not in the index: the file of that name whose folders agree best and that
 * defines the frames' functions. Their lines say nothing there.
 *
 * @param below - Folder to look in: `''`, or ending in `/`.
 */
export function findCompiled ({ path, frames }: Pick<Place, 'path' | 'frames'>, { index, texts }: Project, below: string): Found | null {
  const segments = path.path.split('/')
  const name = segments.at(-1) ?? ''
  if (!mayBeCompiled(name) || !isOutput(segments)) return null
  const stem = sourceStem(name)
  const folders = tellingFolders(segments.slice(0, -1))
  const named = index.stemmed(stemOf(stem)).filter(({ file }) => file.path.startsWith(below) && isSourceOf(baseName(file.path), stem)).map(({ file, segments: own }) => ({
    file, agreeing: agreeing(tellingFolders(own.slice(0, -1)), folders), likelihood: likelihoodOf(file.path.slice(0, file.path.lastIndexOf('/') + 1)),
  })).sort((a, b) => b.agreeing - a.agreeing || b.likelihood - a.likelihood).slice(0, MAX_READ)
  const names = [...new Set(frames.flatMap(frame => functionParts(frame.function)?.name ?? []))]
  const defining = named.map(candidate => ({ ...candidate, defined: definedIn(candidate.file, names, texts) })).filter(({ defined }) => defined > 0)
    .sort((a, b) => b.agreeing - a.agreeing || b.defined - a.defined)
  const [best] = defining
  if (best === undefined) return null
  return {
    file: best.file,
    match: 'symbol',
    why: `compiled from ${best.file.path}, which defines ${names.find(one => definedIn(best.file, [one], texts) > 0) ?? ''}; its lines say nothing here`,
    candidates: defining.slice(1, MAX_CANDIDATES + 1).map(({ file }) => file.path),
  }
}

function definedIn (file: IndexedFile, names: readonly string[], texts: Project['texts']): number {
  return names.filter(name => definitionLines(texts.lines(file.repository, file.path), name).length > 0).length
}

function agreeing (own: readonly string[], stack: readonly string[]): number {
  let common = 0
  while (common < own.length && common < stack.length && own[own.length - 1 - common] === stack[stack.length - 1 - common]) common++
  return common
}

/** The place in a source of the index that a compiled file's source map names; null when it has no map there. */
export function findBySourceMap (file: IndexedFile, frame: Pick<Frame, 'line' | 'column'>, { index, texts }: Project): { file: IndexedFile, line: number, map: string } | null {
  if (frame.line === null || !mayBeCompiled(file.path)) return null
  const named = sourceMapOf(texts.text(file.repository, file.path) ?? '')
  const beside = index.at(`${file.path}.map`, file.repository)
  const mapPath = named !== null && 'url' in named ? resolvePath(file.path, named.url) : beside?.path ?? file.path
  const map = named !== null && 'map' in named ? named.map : texts.text(file.repository, mapPath ?? '')
  const place = map === null || mapPath === null ? null : originalPlace(map, frame.line, frame.column)
  const sourcePath = place === null || mapPath === null ? null : resolvePath(mapPath, place.source)
  const source = sourcePath === null ? null : index.at(sourcePath, file.repository)
  return place === null || source === null ? null : { file: source, line: place.line, map: mapPath ?? file.path }
}

/** A path relative to a file's folder, inside the repository; null when it leads out of it or is no path. */
function resolvePath (from: string, relative: string): string | null {
  const bundler = /^webpack:\/\/(?:[^/]{0,200}\/)?/.exec(relative)
  const start = bundler === null ? from.split('/').slice(0, -1) : []
  const segments = [...start]
  for (const segment of (bundler === null ? relative : relative.slice(bundler[0].length)).split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return null
  }
  return /^[a-z][a-z0-9+.-]{1,30}:/i.test(relative) && bundler === null ? null : segments.join('/')
}
