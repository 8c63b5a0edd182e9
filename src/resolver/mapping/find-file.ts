import type { Frame } from '../../core/frame.ts'
import { baseName } from '../../core/path-names.ts'
import {
  declaredPackage,
  dotnetPackage,
  goImportPath,
  hexPackage,
  jvmPackage,
  type CodePackage,
} from './code-packages.ts'
import { findCompiled, findCopied } from './find-compiled.ts'
import { findInLibrary } from './find-in-library.ts'
import { findOutput } from './find-output.ts'
import { stemOf } from '../code/file-index.ts'
import { MAX_CANDIDATES, notFound, type Found, type Place, type Project } from './file-match.ts'
import { framePath, type FramePath } from './frame-path.ts'
import { functionParts } from '../code/function-name.ts'
import { isGoStandard } from './library-path.ts'
import { optionsFor, type Option, type RootPair } from './candidates.ts'
import { withoutMajor } from './packages.ts'
import { definitionLines } from '../code/definitions.ts'
import { weigh, type Weighed } from './score-candidates.ts'

function isGoRuntime(frame: Pick<Frame, 'file' | 'function'> | undefined): boolean {
  const imported = frame === undefined ? null : goImportPath(frame)
  return imported !== null && isGoStandard(imported)
}

const isOfProject = ({ path, jvm, frames }: Pick<Place, 'path' | 'jvm' | 'frames'>): boolean =>
  path.origin === 'project' &&
  path.path !== '' &&
  frames[0]?.file !== null &&
  (jvm === null || jvm.name === '') &&
  !isGoRuntime(frames[0])

/** A JVM prints `Cart.java` where the file is `com/acme/shop/Cart.java`. */
function pathOf(file: string | null, jvm: CodePackage | null): FramePath {
  if (file === null) return { path: '', absolute: false, anyCase: false, origin: 'project', library: null }
  if (jvm === null || jvm.name === '') return framePath(file)
  return {
    path: `${jvm.name.replaceAll('.', '/')}/${file}`,
    absolute: true,
    anyCase: false,
    origin: 'project',
    library: null,
  }
}

/** Each application has its own `lib/`: the path is only that below the application's folder. */
function pathInApp(file: string, app: string): FramePath {
  const path = framePath(file)
  return path.origin !== 'project' || path.absolute
    ? path
    : {
        ...path,
        origin: 'library',
        library: { kind: 'hex', package: app, version: null, inside: path.path, length: path.path.split('/').length },
      }
}

/** Groups frames by what they name: the file as printed, with the package where the runtime prints no folder. */
export function placesOf(frames: readonly Frame[], project: Project): Map<Frame, Place> {
  const groups = new Map<string, { path: FramePath; jvm: CodePackage | null; frames: Frame[] }>()
  const keys = new Map<Frame, string>()
  for (const frame of frames) {
    const jvm = jvmPackage(frame) ?? dotnetPackage(frame)
    if (frame.file === null && jvm === null) continue
    const app = project.index.named('mix.exs').length === 0 ? null : hexPackage(frame)
    const key = JSON.stringify([frame.file, jvm, app])
    keys.set(frame, key)
    const known = groups.get(key)
    if (known === undefined) {
      groups.set(key, {
        path: app === null ? pathOf(frame.file, jvm) : pathInApp(frame.file ?? '', app),
        jvm,
        frames: [frame],
      })
    } else known.frames.push(frame)
  }
  const places = new Map(
    [...groups].map(([key, group]) => [
      key,
      { ...group, weighed: isOfProject(group) ? weigh(optionsFor(group.path, project.index), group, project) : [] },
    ]),
  )
  return new Map(
    [...keys].flatMap(([frame, key]) => {
      const place = places.get(key)
      return place === undefined ? [] : [[frame, place]]
    }),
  )
}

function byImportPath(frame: Frame, path: FramePath, { packages, index }: Project): Found | null {
  const imported = goImportPath(frame)
  if (imported === null) return null
  if (isGoStandard(imported)) return notFound('the frame is in the runtime (the standard library of Go)')
  const module = packages.goModule(imported)
  if (module === null) return null
  const folder = withoutMajor(imported).slice(module.name.length).replace(/^\//, '')
  const file = index.at(`${module.folder}${folder === '' ? '' : `${folder}/`}${baseName(path.path)}`, module.repository)
  return file === null
    ? null
    : { file, match: 'package', why: `Go module ${module.name} is ${module.folder || './'}`, candidates: [] }
}

function rivals(weighed: readonly Weighed[], best: Option): string[] {
  return weighed
    .filter(({ option }) => option !== best && option.common >= best.common)
    .map(({ option }) => option.file.path)
    .slice(0, MAX_CANDIDATES)
}

/**
 * By the folder that the package spells; languages that do not insist on it (Kotlin, Scala) by the package that the
 * file declares.
 */
function byPackage(place: Place, { name }: CodePackage, project: Project): Found {
  const options = optionsFor(place.path, project.index)
  const length = place.path.path.split('/').length
  const inFolder = options.filter(({ common }) => common === length)
  const declared =
    inFolder.length > 0
      ? inFolder
      : options.filter(({ file }) => declaredPackage(project.texts.text(file.repository, file.path) ?? '') === name)
  const weighed = weigh(declared, place, project)
  const [best] = weighed
  if (best === undefined) {
    return notFound(
      `no file of the index is ${baseName(place.path.path)} of package ${name}`,
      options.map(({ file }) => file.path),
    )
  }
  const { sourceRoot } = best.option.roots
  return {
    file: best.option.file,
    match: 'package',
    why:
      inFolder.length > 0
        ? `package ${name} is a folder of source root ${sourceRoot || './'}`
        : `the file declares package ${name}`,
    candidates: rivals(weighed, best.option),
  }
}

const CLASS_FILE = /\.(?:java|kt|scala|groovy|cs|vb|fs)$/

/** A frame without a file: the one file that bears its class's name, declares its package and defines its function. */
function byClass({ name, className }: CodePackage, frame: Frame, { index, texts }: Project): Found {
  const method = functionParts(frame.function)?.name
  const none = notFound('the runtime printed no file')
  if (className === null || method === undefined || name === '') return none
  const found = index
    .stemmed(className)
    .slice(0, 100)
    .filter(({ file }) => {
      if (!CLASS_FILE.test(file.path) || stemOf(baseName(file.path)) !== className) return false
      const text = texts.text(file.repository, file.path) ?? ''
      return (
        declaredPackage(text) === name && definitionLines(texts.lines(file.repository, file.path), method).length > 0
      )
    })
  const [only] = found
  if (only === undefined || found.length > 1) {
    return { ...none, candidates: found.map(({ file }) => file.path).slice(0, MAX_CANDIDATES) }
  }
  return {
    file: only.file,
    match: 'symbol',
    why: `the file declares ${name}.${className}, which has ${method}`,
    candidates: [],
  }
}

/**
 * What a place's file certainly is, by itself: an exact path, a package that the project holds, a folder that follows
 * from the code's package, or nothing of the project's. Null when only the rest of the trace can tell.
 */
export function findAlone(place: Place, project: Project): Found | null {
  const { path, jvm, frames } = place
  const [frame] = frames
  if (frame === undefined) return null
  if (frame.file === null) return jvm === null ? notFound('the runtime printed no file') : byClass(jvm, frame, project)
  if (path.path === '') {
    return notFound(path.origin === 'runtime' ? 'the frame is in the runtime' : 'the frame names no file')
  }
  const exact = path.absolute ? null : project.index.at(path.path)
  if (exact !== null && path.library?.kind !== 'hex' && (path.origin !== 'library' || path.path.includes('/'))) {
    return { file: exact, match: 'exact', why: `the path is ${exact.path} in the index`, candidates: [] }
  }
  if (path.library !== null) return findInLibrary(place, path.library, project)
  if (path.origin === 'runtime') return notFound('the frame is in the runtime')
  if (jvm !== null && jvm.name !== '') return byPackage(place, jvm, project)
  return byImportPath(frame, path, project)
}

/** How many other files of the trace show a pair of roots to be right. */
export type SupportOf = (option: Option) => number

const SUPPORT_SCORE = 2
const MAX_SUPPORT_SCORE = 8
/** Segments of a compiled file's path that must agree where no folder tells that it is compiled. */
const MIN_COPIED = 2
const MIN_COPIED_INSTALLED = 3

/** What the other frames of a trace tell about one. */
export interface TraceFacts {
  supportOf: SupportOf
  /** Some are the project's. */
  isAmongOwn: boolean
  /** Some are in the project as an installed package, so this one may be in the program that uses it. */
  isInstalled: boolean
}

/**
 * A folder that bears the repository's name, and below it the very path that the file has there: another version of it,
 * if the text disagrees.
 */
const isCheckout = ({ roots: { stackRoot, sourceRoot, repository } }: Option): boolean =>
  sourceRoot === '' && stackRoot.toLowerCase().endsWith(`/${repository.toLowerCase()}/`)

function isAccepted(
  { path }: Place,
  weighed: Weighed,
  { support, isInstalled }: { support: number; isInstalled: boolean },
): boolean {
  const { option, evidence, isSourceRoot, breaksPackage } = weighed
  if (isCheckout(option) && !isInstalled && !breaksPackage && (option.common > 1 || !evidence.isContradicted)) {
    return true
  }
  if (evidence.isContradicted) return support >= 3 // the code moved, but the folder is beyond doubt
  if (
    isInstalled &&
    support === 0 &&
    path.absolute &&
    option.common < 3 &&
    !(option.common === 1 ? evidence.isPinned : evidence.isConfirmed)
  ) {
    return false
  }
  if (evidence.isDoubtful && support < 2 && (option.common === 1 || !isSourceRoot)) return false
  if (breaksPackage && evidence.code !== true && support === 0) return false
  const lineExists = evidence.line
  if (support > 0 && (option.common > 1 || evidence.isConfirmed || lineExists)) return true
  if (option.common > 1) {
    return isSourceRoot || option.common > 2 || option.roots.stackRoot === '' || evidence.isConfirmed || lineExists
  }
  if (isSourceRoot || (option.roots.stackRoot === '' && !path.absolute)) {
    return (lineExists && evidence.function !== false) || evidence.code === true
  }
  return evidence.isConfirmed && lineExists
}

const USUAL_NAME =
  /^(?:index|main|app|test|tests|utils?|helpers?|setup|conf|config|conftest|server|client|run|runner|manage|cli|types|base|common|core|models?|views?|urls|mod|lib|init|__init__|__main__|build|script|demo|example|program|settings|constants|errors|version)\./i

/** A name without folder that one file alone bears, in a trace through the project: its text may have changed. */
const isOnlyOne = ({ path }: Place, count: number): boolean =>
  count === 1 && !path.absolute && !path.path.includes('/') && !USUAL_NAME.test(path.path)

const agreement = (support: number): string =>
  support === 0 ? '' : `, as ${support === 1 ? '1 other file shows' : `${support} other files show`}`
const shown = (score: number): string => String(Math.round(score * 10) / 10)
const rootsOf = ({ stackRoot, sourceRoot }: RootPair): string =>
  `stack root ${stackRoot || './'} is source root ${sourceRoot || './'}`

/** The file that a path means by what the whole trace says. */
export function findJointly(place: Place, { supportOf, isAmongOwn, isInstalled }: TraceFacts, project: Project): Found {
  const scored = place.weighed
    .map(weighed => ({
      weighed,
      support: supportOf(weighed.option),
      score: weighed.score + Math.min(MAX_SUPPORT_SCORE, SUPPORT_SCORE * supportOf(weighed.option)),
    }))
    .sort((a, b) => b.score - a.score)
  const [best] = scored
  const name = baseName(place.path.path)
  const accepted =
    best !== undefined &&
    (isAccepted(place, best.weighed, { support: best.support, isInstalled }) ||
      (isAmongOwn && isOnlyOne(place, scored.length)))
      ? best
      : null
  const output = findOutput(place, project, (accepted?.weighed.option.common ?? 0) + 1)
  if (output !== null) return output
  if (accepted !== null) {
    const { option, isSourceRoot } = accepted.weighed
    const isSuffix = option.common > 1 || accepted.support > 0 || isSourceRoot
    const rival = scored.find(({ weighed }) => weighed.option.roots.sourceRoot !== option.roots.sourceRoot)
    return {
      file: option.file,
      match: isSuffix ? 'suffix' : 'basename',
      why:
        (isSuffix ? rootsOf(option.roots) : `only the base name ${name} agrees`) +
        agreement(accepted.support) +
        (rival === undefined
          ? ''
          : `; score ${shown(accepted.score)}, next ${rival.weighed.option.file.path} with ${shown(rival.score)}`),
      candidates: rivals(
        scored.map(({ weighed }) => weighed),
        option,
      ),
    }
  }
  const compiled =
    findCompiled(place, project, '') ?? findCopied(place, project, isInstalled ? MIN_COPIED_INSTALLED : MIN_COPIED)
  if (compiled !== null) return compiled
  if (best === undefined) return notFound(`no file of the index is named ${name}`)
  return notFound(
    `the nearest name is ${best.weighed.option.file.path}, but ${best.weighed.doubt}`,
    scored.map(({ weighed }) => weighed.option.file.path),
  )
}
