import { FaultlineError } from '../core/errors.ts'

const MAX_LENGTH = 256
const MAX_ALTERNATIVES = 64

/** One place in a segment: a character, `?` (any), `*` (any run), or a class of characters. */
type Token = string | { any: 'one' | 'run' } | { ranges: Array<[from: string, to: string]>; isNegated: boolean }
type Segment = Token[] | 'deep'

function characterClass(body: string): Token {
  const isNegated = body.startsWith('!') || body.startsWith('^')
  const ranges: Array<[string, string]> = []
  for (const [, from = '', to = from] of body.slice(isNegated ? 1 : 0).matchAll(/([^])(?:-([^]))?/g)) {
    ranges.push([from, to])
  }
  return { ranges, isNegated }
}

function tokens(segment: string): Token[] {
  const found: Token[] = []
  for (let i = 0; i < segment.length; i++) {
    const character = segment.charAt(i)
    const end = character === '[' ? segment.indexOf(']', i + 2) : -1
    if (character === '*') {
      if (segment[i - 1] !== '*') found.push({ any: 'run' })
    } else if (character === '?') {
      found.push({ any: 'one' })
    } else if (end > 0) {
      found.push(characterClass(segment.slice(i + 1, end)))
      i = end
    } else if (character === '\\' && i + 1 < segment.length) {
      found.push(segment.charAt(++i))
    } else {
      found.push(character)
    }
  }
  return found
}

function parseGlob(glob: string): { segments: Segment[]; isFolder: boolean } {
  const parts = glob
    .replace(/^(?:\.?\/)+/, '')
    .split('/')
    .filter((part, i, all) => part !== '' || i < all.length - 1)
  const segments = parts.map((part): Segment => (part === '**' ? 'deep' : tokens(part)))
  const last = segments.at(-1)
  return { segments, isFolder: last !== undefined && last !== 'deep' && last.every(token => typeof token === 'string') }
}

/** `a{b,c}` → `ab`, `ac`; braces inside braces, and too many of them, are refused. */
function expandBraces(glob: string): string[] {
  let found = ['']
  let rest = glob
  for (let match = /\{([^{}]*)\}/.exec(rest); match !== null; match = /\{([^{}]*)\}/.exec(rest)) {
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

function matchCharacter(token: Token, character: string): boolean {
  if (typeof token === 'string') return token === character
  if ('any' in token) return true
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isNegated
}

function matchName(segment: Token[], name: string): boolean {
  let token = 0
  let at = 0
  let resume: { token: number; at: number } | null = null
  while (at < name.length) {
    const current = segment[token]
    if (typeof current === 'object' && 'any' in current && current.any === 'run') {
      resume = { token: ++token, at }
    } else if (current !== undefined && matchCharacter(current, name.charAt(at))) {
      token++
      at++
    } else if (resume !== null) {
      token = resume.token
      at = ++resume.at
    } else {
      return false
    }
  }
  return segment.slice(token).every(rest => typeof rest === 'object' && 'any' in rest && rest.any === 'run')
}

/**
 * Both matchers go back to the last wildcard only: what an earlier one could still give, the last one can take as well.
 */
function matchPath(segments: Segment[], names: string[], isFolder: boolean): boolean {
  let segment = 0
  let name = 0
  let resume: { segment: number; name: number } | null = null
  while (name < names.length) {
    const current = segments[segment]
    if (current === undefined && isFolder && segment > 0) return true
    if (current === 'deep') {
      // At the end it stands for what is below a folder, so at least one name.
      if (segment === segments.length - 1) return true
      resume = { segment: ++segment, name }
    } else if (current !== undefined && matchName(current, names[name] ?? '')) {
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
 * all below `docs/`.
 *
 * Our own matcher because globs come from clients and paths from repositories: the regular expressions that glob
 * libraries make of `*a*a*a*b` take exponential time, this takes at most the length of the glob times that of the path.
 *
 * @throws {FaultlineError} VALIDATION_FAILED, naming the glob.
 */
export function createGlobTest(globs: string[]): (path: string) => boolean {
  const alternatives = globs.flatMap(glob => expandBraces(glob).map(parseGlob))
  return path => {
    const names = path.split('/')
    return alternatives.some(({ segments, isFolder }) => matchPath(segments, names, isFolder))
  }
}
