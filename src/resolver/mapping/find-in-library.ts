import { baseName } from '../../core/path-names.ts'
import { findCompiled, findFlat } from './find-compiled.ts'
import { findOutputAt } from './find-output.ts'
import type { IndexedFile } from '../code/file-index.ts'
import { noMatch, type FileMatch } from './file-match.ts'
import type { Place, Project } from './project.ts'
import type { Library } from './library-path.ts'
import { candidatesFor } from './candidates.ts'
import { withoutMajor, type OwnPackage } from './packages.ts'
import { isSourceRoot, isVendored, isWorkspaceRoot, SOURCE_FOLDERS } from '../code/source-roots.ts'
import { scoreCandidates, type ScoredCandidate } from './score-candidates.ts'

/** The package managers whose packages the project itself may hold, by the name under which it asks for them. */
const WITH_PACKAGES = ['npm', 'composer', 'cargo', 'gem', 'python', 'pub', 'hex'] as const

function ownPackages({ kind, package: name }: Library, { packages }: Project): readonly OwnPackage[] {
  if (name === null) return []
  if (kind === 'go') {
    const module = packages.goModule(name)
    return module === null ? [] : [module]
  }
  const manager = WITH_PACKAGES.find(one => one === kind)
  return manager === undefined ? [] : packages[manager](name)
}

function whyNot(library: Library, project: Project): string {
  if (library.package === null) {
    return `the frame is in ${library.kind === 'standard' ? 'the standard' : 'a'} library, not in the project`
  }
  const [own] = ownPackages(library, project)
  if (own === undefined) return `the frame is in a library (${library.package}), not in the project`
  const missing = `no file there is ${library.inside}, or what it was compiled from`
  return `package ${own.name} is ${own.folder || './'}, but ${missing}: none of that name defines the frame's function`
}

/**
 * Whether the text speaks against a file: what was published may be a bundle and not the file in the source folder of
 * that name.
 */
function speaksAgainst(file: IndexedFile, scored: readonly ScoredCandidate[]): boolean {
  const evidence = scored.find(({ candidate }) => candidate.file === file)?.evidence
  return evidence !== undefined && (evidence.isContradicted || evidence.isDoubtful)
}

/** Whether a file of the package is the library's by its whole path in it, or by the text that the frames printed. */
const isInPackage = (
  { candidate: { file, common, roots }, evidence }: ScoredCandidate,
  { repository, folder }: OwnPackage,
  { inside }: Library,
): boolean =>
  file.repository === repository &&
  file.path.startsWith(folder) &&
  !isVendored(roots.sourceRoot) &&
  (evidence.isPinned || common >= inside.split('/').length)

function byManifest(
  place: Place,
  library: Library,
  scored: readonly ScoredCandidate[],
  project: Project,
): FileMatch | null {
  for (const own of ownPackages(library, project)) {
    const why = `package ${own.name} is ${own.folder || './'}`
    const inside =
      library.kind === 'go' && library.package !== null
        ? `${withoutMajor(library.package).slice(own.name.length + 1)}/${library.inside}`.replace(/^\//, '')
        : library.inside
    for (const folder of SOURCE_FOLDERS) {
      const file = project.index.at(`${own.folder}${folder}${inside}`, own.repository)
      if (file !== null && (folder === '' || !speaksAgainst(file, scored))) {
        return { file, match: 'package', isInstalled: true, why, candidates: [] }
      }
    }
    const compiled =
      findOutputAt(`${own.folder}${inside}`, place, project, own.repository) ??
      findFlat(place, project, { ...own, inside }) ??
      findCompiled(place, project, own.folder)
    if (compiled !== null) return { ...compiled, isInstalled: true, why: `${why}; ${compiled.why}` }
    const moved = scored.find(one => isInPackage(one, own, library))
    if (moved !== undefined) {
      const { file } = moved.candidate
      return {
        file,
        match: 'package',
        isInstalled: true,
        why: `${why}, where this file is ${file.path}`,
        candidates: [],
      }
    }
  }
  return null
}

const MANIFESTS = {
  npm: 'package.json',
  composer: 'composer.json',
  cargo: 'Cargo.toml',
  gem: null,
  go: 'go.mod',
  pub: 'pubspec.yaml',
  hex: null,
  python: null,
  ruby: null,
  standard: null,
  runtime: null,
} as const

/**
 * The file in a repository that bears the package's name, unless its manifest gives it another one. A scoped name is
 * compared whole, since no repository bears it.
 */
function byRepositoryName({ kind, package: name, inside }: Library, { index }: Project): FileMatch | null {
  const manifest = MANIFESTS[kind]
  if (name === null || (manifest === null && kind !== 'gem')) return null
  for (const folder of SOURCE_FOLDERS) {
    const file = index.at(folder + inside)
    if (file === null || file.repository.toLowerCase() !== name.toLowerCase()) continue
    if (manifest !== null && index.at(manifest, file.repository) !== null) continue
    return {
      file,
      match: 'package',
      isInstalled: true,
      why: `the repository bears the name of package ${name}`,
      candidates: [],
    }
  }
  return null
}

/** The path inside a library as its package's importers spell it, in segments. */
interface ImportedPath {
  kind: Library['kind']
  length: number
  /** The package's name, where it is a folder of its own. */
  folder: string | null
}

function importedPath({ kind, package: name, inside }: Library): ImportedPath {
  const folder = kind === 'npm' && name !== null && !name.includes('/') ? name : null
  return { kind, folder, length: inside.split('/').length + (folder === null ? 0 : 1) }
}

const isLibraryRoot = (kind: Library['kind'], folder: string): boolean =>
  isSourceRoot(folder) || isWorkspaceRoot(folder) || (kind === 'ruby' && folder.endsWith('/lib/'))

/**
 * Whether a file belongs to the library: the less its folders say, the more of what the frames printed must be in it.
 */
function isOfLibrary(imported: ImportedPath, scored: ScoredCandidate, { index }: Project): boolean {
  const { candidate, evidence } = scored
  const { kind, length, folder } = imported
  const { sourceRoot } = candidate.roots
  const isKnown = isLibraryRoot(kind, sourceRoot)
  const isInText = evidence.isConfirmed && evidence.line
  switch (kind) {
    case 'standard':
    case 'runtime':
      return isKnown && isInText && (length > 1 || evidence.code === true)
    case 'npm': {
      // a manifest there would have named the package
      const manifest = `${sourceRoot}${folder}/package.json`
      return folder !== null && isKnown && index.at(manifest, candidate.file.repository) === null
    }
    case 'python':
    case 'ruby':
      return isKnown ? !evidence.isContradicted && (length > 1 || evidence.line) : isInText
    default:
      return false
  }
}

/**
 * The file for paths that begin with the package's own folder: an equal path below a source root; elsewhere the text
 * must agree.
 */
function byImportedName(library: Library, scored: readonly ScoredCandidate[], project: Project): FileMatch | null {
  const imported = importedPath(library)
  const found = scored.find(
    one =>
      one.candidate.common >= imported.length &&
      !one.breaksPackage &&
      !isVendored(one.candidate.roots.sourceRoot) &&
      isOfLibrary(imported, one, project),
  )
  if (found === undefined) return null
  const { file, roots } = found.candidate
  const name = library.package ?? baseName(library.inside)
  return {
    file,
    match: 'suffix',
    isInstalled: true,
    why: `the library ${name} is part of this project: its folder is below ${roots.sourceRoot || './'}`,
    candidates: [],
  }
}

/**
 * Decides whether a library's file is the project's: only where the project tracks the library's folder, or is that
 * library by the name in a manifest, by the repository's name or, where paths begin with the imported name, by an equal
 * path.
 */
export function findInLibrary(place: Place, library: Library, project: Project): FileMatch {
  const scored = scoreCandidates(candidatesFor(place.path, project.index), place, project)
  const tracked = scored.find(({ candidate }) => candidate.common > library.length)
  if (tracked !== undefined) {
    return {
      file: tracked.candidate.file,
      match: 'suffix',
      why: `the repository tracks ${tracked.candidate.file.path}`,
      candidates: [],
    }
  }
  return (
    byManifest(place, library, scored, project) ??
    byRepositoryName(library, project) ??
    byImportedName(library, scored, project) ??
    noMatch(whyNot(library, project))
  )
}
