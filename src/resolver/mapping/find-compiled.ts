import { baseName, folderOf } from '../../core/path-names.ts'
import { isOutput, isSourceOf, mayBeCompiled, sourceStem, tellingFolders } from './compiled-output.ts'
import { definitionLines } from '../code/definitions.ts'
import { functionParts } from '../code/function-name.ts'
import { stemOf, type IndexedFile } from '../code/file-index.ts'
import { MAX_CANDIDATES, type FileMatch } from './file-match.ts'
import type { Place, Project } from './project.ts'
import { isSourceRoot, likelihoodOf, SOURCE_FOLDERS } from '../code/source-roots.ts'

const MAX_READ = 20

interface Near {
  file: IndexedFile
  agreeing: number
  likelihood: number
}

function definedIn(file: IndexedFile, names: readonly string[], texts: Project['texts']): number {
  return names.filter(name => definitionLines(texts.lines(file.repository, file.path), name).length > 0).length
}

/** Among the possible sources of a compiled file, the nearest one that defines something of the frames. */
function bestSource(
  { path, frames }: Pick<Place, 'path' | 'frames'>,
  { index, texts }: Project,
  nearnessOf: (file: IndexedFile) => Near | null,
): FileMatch | null {
  const name = baseName(path.path)
  if (!mayBeCompiled(name)) return null
  const stem = sourceStem(name)
  const near = index
    .stemmed(stemOf(stem))
    .filter(({ file }) => isSourceOf(baseName(file.path), stem))
    .flatMap(({ file }) => nearnessOf(file) ?? [])
    .sort((a, b) => b.agreeing - a.agreeing || b.likelihood - a.likelihood)
    .slice(0, MAX_READ)
  const names = [...new Set(frames.flatMap(frame => functionParts(frame.function)?.name ?? []))]
  const defining = near
    .map(candidate => ({ ...candidate, defined: definedIn(candidate.file, names, texts) }))
    .filter(({ defined }) => defined > 0)
    .sort((a, b) => b.agreeing - a.agreeing || b.defined - a.defined)
  const [best] = defining
  if (best === undefined) return null
  return {
    file: best.file,
    match: 'symbol',
    why: `compiled from ${best.file.path}; the printed line says nothing there`,
    candidates: defining.slice(1, MAX_CANDIDATES + 1).map(({ file }) => file.path),
  }
}

function agreeing(own: readonly string[], stack: readonly string[]): number {
  let common = 0
  while (
    common < own.length &&
    common < stack.length &&
    own[own.length - 1 - common] === stack[stack.length - 1 - common]
  ) {
    common++
  }
  return common
}

const foldersOf = ({ path }: IndexedFile): string[] => path.split('/').slice(0, -1)

/**
 * The source of a compiled file that is not in the index: the file of that name whose folders agree best and that
 * defines the frames' functions. The lines of the compiled file mean nothing there.
 *
 * @param below - Folder to look in: `''`, or ending in `/`.
 */
export function findCompiled(place: Pick<Place, 'path' | 'frames'>, project: Project, below: string): FileMatch | null {
  const segments = place.path.path.split('/')
  if (!isOutput(segments)) return null
  const folders = tellingFolders(segments.slice(0, -1))
  return bestSource(place, project, file =>
    !file.path.startsWith(below)
      ? null
      : {
          file,
          agreeing: agreeing(tellingFolders(foldersOf(file)), folders),
          likelihood: likelihoodOf(folderOf(file.path)),
        },
  )
}

/**
 * The source of a compiled file that lies where its source does, because the output folder itself was published or
 * copied: no folder shows that it is output, so the path must agree.
 *
 * @param own - The package's folder (`''`, or ending in `/`) and repository, and the file's path in it.
 */
export function findFlat(
  place: Pick<Place, 'path' | 'frames'>,
  project: Project,
  { folder, repository, inside }: { folder: string; repository: string; inside: string },
): FileMatch | null {
  const at = folderOf(inside)
  const places = SOURCE_FOLDERS.map(source => `${folder}${source}${at}`)
  return bestSource(place, project, file => {
    const rank = file.repository === repository ? places.indexOf(folderOf(file.path)) : -1
    return rank === -1 ? null : { file, agreeing: -rank, likelihood: 0 }
  })
}

/**
 * The source of a compiled file where nothing names the package: the whole path of the source below a source root must
 * be the end of the compiled file's path.
 *
 * @param least - Segments that must agree.
 */
export function findCopied(place: Pick<Place, 'path' | 'frames'>, project: Project, least: number): FileMatch | null {
  const folders = place.path.path.split('/').slice(0, -1)
  return bestSource(place, project, file => {
    const own = foldersOf(file)
    const common = agreeing(own, folders)
    const root = own.slice(0, own.length - common).map(folder => `${folder}/`)
    if (common + 1 < least || !isSourceRoot(root.join(''))) return null
    return { file, agreeing: common, likelihood: 0 }
  })
}
