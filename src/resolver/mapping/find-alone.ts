import type { Frame } from '../../core/frame.ts'
import { baseName } from '../../core/path-names.ts'
import { definitionLines } from '../code/definitions.ts'
import { stemOf, type IndexedFile } from '../code/file-index.ts'
import { functionParts } from '../code/function-name.ts'
import { candidatesFor } from './candidates.ts'
import { declaredPackage, goImportPath, type CodePackage } from './code-packages.ts'
import { MAX_CANDIDATES, noMatch, rivalsOf, type FileMatch } from './file-match.ts'
import { findInLibrary } from './find-in-library.ts'
import type { FramePath } from './frame-path.ts'
import { isGoStandard } from './library-path.ts'
import { withoutMajor } from './packages.ts'
import type { Place, Project } from './project.ts'
import { scoreCandidates } from './score-candidates.ts'

const CLASS_FILE = /\.(?:java|kt|scala|groovy|cs|vb|fs)$/
const MAX_NAMESAKES = 100
const IN_RUNTIME = 'the frame is in the runtime'

/**
 * The file that a package path of Go stands for: the module that the project holds, and the path's folders below the
 * module's.
 */
function byImportPath(frame: Frame, path: FramePath, { packages, index }: Project): FileMatch | null {
  const imported = goImportPath(frame)
  if (imported === null) return null
  if (isGoStandard(imported)) return noMatch(`${IN_RUNTIME} (the standard library of Go)`)
  const module = packages.goModule(imported)
  if (module === null) return null
  const folder = withoutMajor(imported).slice(module.name.length).replace(/^\//, '')
  const below = folder === '' ? '' : `${folder}/`
  const file = index.at(`${module.folder}${below}${baseName(path.path)}`, module.repository)
  if (file === null) return null
  return { file, match: 'package', why: `Go module ${module.name} is ${module.folder || './'}`, candidates: [] }
}

/**
 * The file in the folder that the package spells; in languages that do not insist on it (Kotlin, Scala), the one that
 * declares the package.
 */
function byPackage(place: Place, { name }: CodePackage, project: Project): FileMatch {
  const candidates = candidatesFor(place.path, project.index)
  const length = place.path.path.split('/').length
  const inFolder = candidates.filter(({ common }) => common === length)
  const isInFolder = inFolder.length > 0
  const declares = (repository: string, path: string): boolean =>
    declaredPackage(project.texts.text(repository, path) ?? '') === name
  const fitting = isInFolder ? inFolder : candidates.filter(({ file }) => declares(file.repository, file.path))
  const scored = scoreCandidates(fitting, place, project)
  const [best] = scored
  if (best === undefined) {
    return noMatch(
      `no file of the index is ${baseName(place.path.path)} of package ${name}`,
      candidates.map(({ file }) => file.path),
    )
  }
  const { file, roots } = best.candidate
  return {
    file,
    match: 'package',
    why: isInFolder
      ? `package ${name} is a folder below ${roots.sourceRoot || './'}`
      : `the file declares package ${name}`,
    candidates: rivalsOf(best.candidate, scored),
  }
}

/** A frame without a file: the one file that bears its class's name, declares its package and defines its function. */
function byClass({ name, className }: CodePackage, frame: Frame, { index, texts }: Project): FileMatch {
  const method = functionParts(frame.function)?.name
  const none = noMatch('the runtime printed no file')
  if (className === null || method === undefined || name === '') return none
  const found = index
    .stemmed(className)
    .slice(0, MAX_NAMESAKES)
    .map(({ file }) => file)
    .filter(({ path }) => CLASS_FILE.test(path) && stemOf(baseName(path)) === className)
    .filter(({ repository, path }) => declaredPackage(texts.text(repository, path) ?? '') === name)
    .filter(({ repository, path }) => definitionLines(texts.lines(repository, path), method).length > 0)
  const [only] = found
  if (only === undefined || found.length > 1) {
    return { ...none, candidates: found.map(({ path }) => path).slice(0, MAX_CANDIDATES) }
  }
  return {
    file: only,
    match: 'symbol',
    why: `the file declares ${name}.${className}, which has ${method}`,
    candidates: [],
  }
}

/**
 * Whether a bare name stands for a file in some folder: the text of the one at the top speaks against it, and another
 * one has the frame's function around its line.
 */
function isElsewhere(place: Place, file: IndexedFile, project: Project): boolean {
  const { path, scored } = place
  if (path.path.includes('/') || !scored.some(({ evidence }) => evidence.isPinned)) return false
  const own = candidatesFor(path, project.index).filter(candidate => candidate.file === file)
  return scoreCandidates(own, place, project).some(({ evidence }) => evidence.isDoubtful || evidence.isContradicted)
}

/** The file at the very path; for a path below a package manager's folder only when it has a folder. */
function byExactPath(place: Place, project: Project): FileMatch | null {
  const { path } = place
  if (path.absolute || path.library?.kind === 'hex') return null
  if (path.origin === 'library' && !path.path.includes('/')) return null
  const file = project.index.at(path.path)
  return file === null || isElsewhere(place, file, project)
    ? null
    : { file, match: 'exact', why: `the path is ${file.path} in the index`, candidates: [] }
}

/**
 * Decides what a place can be by itself: an exact path, a package that the project holds, a folder that follows from
 * the code's package, or nothing of the project's. Null when only the rest of the trace can tell.
 */
export function findAlone(place: Place, project: Project): FileMatch | null {
  const { path, jvm, frames } = place
  const [frame] = frames
  if (frame === undefined) return null
  if (frame.file === null) return jvm === null ? noMatch('the runtime printed no file') : byClass(jvm, frame, project)
  if (path.path === '') {
    return noMatch(path.origin === 'runtime' ? IN_RUNTIME : 'the frame names no file')
  }
  const exact = byExactPath(place, project)
  if (exact !== null) return exact
  if (path.library !== null) return findInLibrary(place, path.library, project)
  if (path.origin === 'runtime') return noMatch(IN_RUNTIME)
  if (jvm !== null && jvm.name !== '') return byPackage(place, jvm, project)
  return byImportPath(frame, path, project)
}
