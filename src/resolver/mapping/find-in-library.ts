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

function ownPackages({ kind, package: name }: Library, { packages }: Project): readonly OwnPackage[] {
  if (name === null) return []
  if (kind === 'go') {
    const module = packages.goModule(name)
    return module === null ? [] : [module]
  }
  return kind === 'npm' || kind === 'composer' || kind === 'cargo' || kind === 'gem' || kind === 'pub' || kind === 'hex'
    ? packages[kind](name)
    : []
}

function whyNot(library: Library, project: Project): string {
  if (library.package === null) {
    return `the frame is in ${library.kind === 'standard' ? 'the standard' : 'a'} library, not in the project`
  }
  const [own] = ownPackages(library, project)
  if (own === undefined) return `the frame is in a library (${library.package}), not in the project`
  return `package ${own.name} is ${own.folder || './'}, but no file there is ${library.inside}, or what it was compiled from: none of that name defines the frame's function`
}

/** What was published need not be what lies in the source folder under the same name: it may be a bundle. */
function speaksAgainst(file: IndexedFile, scored: readonly ScoredCandidate[]): boolean {
  const evidence = scored.find(({ candidate }) => candidate.file === file)?.evidence
  return evidence !== undefined && (evidence.isContradicted || evidence.isDoubtful)
}

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
 * A repository that bears the package's name, unless its manifest gives it another one. A scoped name is compared
 * whole: no repository bears it.
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

/** Paths that begin with the package's own folder: an equal path below a source root; elsewhere the text must agree. */
function byImportedName(library: Library, scored: readonly ScoredCandidate[], { index }: Project): FileMatch | null {
  const { kind, package: name } = library
  const folders = kind === 'npm' && name !== null && !name.includes('/') ? 1 : 0
  const length = library.inside.split('/').length + folders
  for (const { candidate, evidence, breaksPackage } of scored) {
    const { sourceRoot } = candidate.roots
    if (candidate.common < length || breaksPackage || isVendored(sourceRoot)) continue
    const isKnown =
      isSourceRoot(sourceRoot) || isWorkspaceRoot(sourceRoot) || (kind === 'ruby' && sourceRoot.endsWith('/lib/'))
    const holds =
      kind === 'standard' || kind === 'runtime'
        ? isKnown && evidence.isConfirmed && evidence.line && (length > 1 || evidence.code === true)
        : kind === 'npm'
          ? // it would have named the package
            folders === 1 &&
            isKnown &&
            index.at(`${sourceRoot}${name}/package.json`, candidate.file.repository) === null
          : (kind === 'python' || kind === 'ruby') &&
            (isKnown
              ? !evidence.isContradicted && (length > 1 || evidence.line)
              : evidence.isConfirmed && evidence.line)
    if (holds) {
      return {
        file: candidate.file,
        match: 'suffix',
        isInstalled: true,
        why: `the library ${name ?? baseName(library.inside)} is part of this project: its folder is below ${sourceRoot || './'}`,
        candidates: [],
      }
    }
  }
  return null
}

/**
 * A library's file is the project's only where the project tracks the library's folder, or is that library: by the name
 * in a manifest, by the repository's own name, or (where paths begin with the imported name) by an equal path.
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
