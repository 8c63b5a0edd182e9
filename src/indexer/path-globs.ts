import { Matcher } from '@isaacs/nonrecursive-glob-match'
import { FaultlineError } from '../core/errors.ts'

const MAX_LENGTH = 256
const MAX_ALTERNATIVES = 64
const CHOICES = /\{([^{}]*)\}/
/** Slashes and `./` before the first name. */
const LEADING = /^(?:\.?\/)+/
const ESCAPED = /\\[^]/g
const ANY_FOLDERS = '**'

type Segment = Matcher | typeof ANY_FOLDERS

interface PathGlob {
  segments: Segment[]
  /** Whether it names a folder as well, and so all below it. */
  isFolder: boolean
}

/** `a{b,c}` → `ab`, `ac`; braces inside braces, and too many of them, are refused. */
function expandBraces(glob: string): string[] {
  let found = ['']
  let rest = glob
  for (let match = CHOICES.exec(rest); match !== null; match = CHOICES.exec(rest)) {
    const before = rest.slice(0, match.index)
    const choices = (match[1] ?? '').split(',')
    found = found.flatMap(start => choices.map(choice => start + before + choice))
    if (found.length > MAX_ALTERNATIVES) break
    rest = rest.slice(match.index + match[0].length)
  }
  if (glob === '' || glob.length > MAX_LENGTH || found.length > MAX_ALTERNATIVES || /[{}]/.test(rest)) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `The glob ${JSON.stringify(glob.slice(0, 100))} cannot be used.`,
      `Use 1 to ${MAX_LENGTH} characters and at most ${MAX_ALTERNATIVES} alternatives in braces, none inside another.`,
    )
  }
  return found.map(start => start + rest)
}

function hasWildcard(name: string): boolean {
  const plain = name.replace(ESCAPED, '')
  const open = plain.indexOf('[')
  return /[*?]/.test(plain) || (open >= 0 && plain.lastIndexOf(']') > open + 1)
}

function parseGlob(glob: string): PathGlob {
  const names = glob
    .replace(LEADING, '')
    .split('/')
    .filter((name, i, all) => name !== '' || i < all.length - 1)
  const last = names.at(-1)
  return {
    segments: names.map(name => (name === ANY_FOLDERS ? ANY_FOLDERS : new Matcher(name, { dot: true, noext: true }))),
    isFolder: last !== undefined && !hasWildcard(last),
  }
}

/** Goes back to the last `**` only: what an earlier one could still take, the last one can take as well. */
function matchPath({ segments, isFolder }: PathGlob, names: readonly string[]): boolean {
  let segment = 0
  let name = 0
  let resume: { segment: number; name: number } | null = null
  while (name < names.length) {
    const current = segments[segment]
    if (current === undefined && isFolder && segment > 0) return true
    if (current === ANY_FOLDERS) {
      // At the end it stands for what is below a folder, so at least one name.
      if (segment === segments.length - 1) return true
      resume = { segment: ++segment, name }
    } else if (current?.testUnchecked(names[name] ?? '') === true) {
      segment++
      name++
    } else if (resume !== null) {
      segment = resume.segment
      name = ++resume.name
    } else {
      return false
    }
  }
  return segment === segments.length
}

/**
 * A test for paths that match any of these globs: `*`, `**`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `\` before a character to
 * mean itself. Dot files are included. A glob whose last segment has no wildcard also stands for a folder: `docs` means
 * all below `docs/`. Globs come from clients and paths from repositories, so none may take exponential time: see
 * docs/decisions/0018-globs-without-backtracking.md.
 *
 * @throws {FaultlineError} VALIDATION_FAILED, naming the glob.
 */
export function createGlobTest(globs: string[]): (path: string) => boolean {
  const alternatives = globs.flatMap(glob => expandBraces(glob).map(parseGlob))
  return path => {
    const names = path.split('/')
    return alternatives.some(alternative => matchPath(alternative, names))
  }
}
