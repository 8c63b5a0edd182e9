import { lowerBaseName } from '../../core/path-names.ts'
import { indentOf } from '../text/indentation.ts'

const MAKEFILE = /^(?:gnu)?makefile(?:\.|$)|\.mak$|\.mk$/
const RULE = /^[^\s#:=][^#:=]*:{1,2}(?![:=])(?!\s*[\w.-]+\s*[:+?]?=)/
/** Lines among those of a recipe that are no commands: they are indented as anybody likes. */
const DIRECTIVE =
  /^\s*(?:(?:else|endif|endef)\b|(?:ifn?eq|ifn?def|-?include|sinclude|define|export|unexport|override|vpath)\b|#)|^\s*[\w.-]+\s+[:+?!]?=\s/
/** The beginning of a variable of several lines, which are no recipe, whatever they look like. */
const DEFINE = /^\s*(?:(?:override|export)\s+)*define\b/
const ENDEF = /^\s*endef\b/
/** A rule that is indented, as in a condition. */
const INDENTED_RULE = /^\s+[\w./%$()-]+\s*:(?:\s|$)/
const BLANKS = /^ +/

/** The blanks that all lines of a recipe begin with, of those that have any. */
function commonBlanks(lines: readonly string[]): number {
  const depths = lines.map(line => BLANKS.exec(line)?.[0].length ?? 0).filter(depth => depth > 0)
  return depths.length === 0 ? 0 : Math.min(...depths)
}

/** The line after a recipe: the first one that is neither indented nor one of a condition. */
function recipeEnd(lines: readonly string[], from: number): number {
  let to = from
  const belongs = (line: string): boolean =>
    !DEFINE.test(line) && (indentOf(line) !== '' || line.trim() === '' || DIRECTIVE.test(line))
  while (to < lines.length && belongs(lines[to] ?? '')) to++
  return to
}

/** Where a rule or a variable that begins on a line ends its heading: the line before its recipe, or `endef`. */
function headingEnd(lines: readonly string[], from: number): number {
  let at = from
  if (DEFINE.test(lines[at] ?? '')) {
    while (at < lines.length && !ENDEF.test(lines[at] ?? '')) at++
  } else {
    while (lines[at]?.trimEnd().endsWith('\\') === true) at++
  }
  return at
}

const isCommand = (line: string): boolean =>
  line.startsWith(' ') && line.trim() !== '' && !DIRECTIVE.test(line) && !INDENTED_RULE.test(line)

/** Puts a tab before the commands of one recipe that are not known to be meant without. */
function putTabs(lines: string[], { from, to, known }: { from: number; to: number; known: ReadonlySet<string> }): void {
  const depth = commonBlanks(lines.slice(from, to))
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? ''
    if (isCommand(line) && !known.has(line)) lines[at] = `\t${line.slice(depth)}`
  }
}

/**
 * A Makefile whose recipes begin with the tab that they need, where a model wrote blanks: `make` takes a line below a
 * rule that begins with blanks for no command. Lines that the file had just so stay; any other file is as it was.
 *
 * @param before - The file before the edits; undefined for a new one.
 */
export function withRecipeTabs(path: string, text: string, before: string | undefined): string {
  if (!MAKEFILE.test(lowerBaseName(path)) || text.includes('.RECIPEPREFIX')) return text
  const known = new Set(before?.split('\n'))
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const isRule = RULE.test(lines[at] ?? '')
    at = headingEnd(lines, at)
    if (!isRule) continue
    const to = recipeEnd(lines, at + 1)
    putTabs(lines, { from: at + 1, to, known })
    at = to - 1
  }
  return lines.join('\n')
}
