import type { ForgeKind } from '../core/forge-kind.ts'

/** Where a forge looks for the file, the first that is there. */
const PLACES: Readonly<Partial<Record<ForgeKind, readonly string[]>>> = {
  github: ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'],
  gitlab: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
}

/** Files that may say who owns code, in the order in which a forge looks; none where it asks its owners itself. */
export const codeOwnersPlaces = (kind: ForgeKind): readonly string[] => PLACES[kind] ?? []

/** @throws Where a glob cannot be used. */
type GlobTest = (globs: string[]) => (path: string) => boolean

interface Rule {
  matches: (path: string) => boolean
  owners: readonly string[]
  /** GitLab: files that nobody owns, whatever was said before. */
  isExclusion: boolean
}

const MAX_LINES = 5_000
/** `[Name]`, `^[Name]`, `[Name][2]` and owners that its rules have by default. */
const SECTION = /^\^?\[[^\]]+\](?:\[\d+\])?(.*)$/
const OWNER = /^(?:@[\w./-]+|[^\s@]+@[^\s@]+)$/

/** The words of a line up to a comment; a blank behind a backslash belongs to a word. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:\\.|[^\s\\])+/g) ?? []
  const comment = words.findIndex(word => word.startsWith('#'))
  return (comment < 0 ? words : words.slice(0, comment)).map(word => word.replace(/\\([ #])/g, '$1'))
}

/** A pattern, which is one of `.gitignore` without its exclusions, as globs from the top of the repository. */
export function ownerGlobs(pattern: string): string[] {
  const isFolder = pattern.endsWith('/')
  const body = pattern.replace(/^\/|\/$/g, '')
  if (body === '' || body === '*') return ['**']
  const isAnchored = pattern.startsWith('/') || body.includes('/')
  const from = isAnchored || body.startsWith('**/') ? body : `**/${body}`
  return isFolder ? [`${from}/**`] : [from]
}

function ruleFrom(words: readonly string[], inherited: readonly string[], globTest: GlobTest): Rule | null {
  const [written = '', ...rest] = words
  const isExclusion = written.startsWith('!')
  const owners = rest.filter(word => OWNER.test(word))
  try {
    const matches = globTest(ownerGlobs(isExclusion ? written.slice(1) : written))
    return { matches, owners: owners.length === 0 ? inherited : owners, isExclusion }
  } catch {
    return null // a forge passes over what it cannot read, too
  }
}

/** The rules of each section; GitHub knows one only, whose rules stand under no heading. */
function sectionsOf(text: string, kind: ForgeKind, globTest: GlobTest): Rule[][] {
  let inherited: readonly string[] = []
  const sections: Rule[][] = [[]]
  for (const raw of text.split('\n').slice(0, MAX_LINES)) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const owners = kind === 'gitlab' ? SECTION.exec(line)?.[1] : undefined
    if (owners !== undefined) {
      inherited = wordsOf(owners).filter(word => OWNER.test(word))
      sections.push([])
      continue
    }
    const rule = ruleFrom(wordsOf(line), inherited, globTest)
    if (rule !== null) sections.at(-1)?.push(rule)
  }
  return sections
}

/**
 * Owners of files as CODEOWNERS says, in GitHub's syntax or with GitLab's sections: of each section the last rule that
 * fits counts.
 *
 * @returns `@name`, `@group/team` or an address of mail, each once, those of the first path first.
 */
export function codeOwners(
  text: string,
  { kind, paths, globTest }: { kind: ForgeKind; paths: readonly string[]; globTest: GlobTest },
): string[] {
  const sections = sectionsOf(text, kind, globTest)
  const ownersOf = (path: string): readonly string[] =>
    sections.flatMap(rules => {
      const last = rules.findLast(({ matches }) => matches(path))
      return last === undefined || last.isExclusion ? [] : last.owners
    })
  return [...new Set(paths.flatMap(ownersOf))]
}
