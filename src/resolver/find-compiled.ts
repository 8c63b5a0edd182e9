import { isOutput, isSourceOf, mayBeCompiled, sourceStem, tellingFolders } from './compiled-output.ts'
import { definitionLines } from './definitions.ts'
import { functionParts } from './function-name.ts'
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
