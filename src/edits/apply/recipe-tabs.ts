import { lowerBaseName } from '../../core/path-names.ts'
import { indentOf } from '../text/indentation.ts'

const MAKEFILE = /^(?:gnu)?makefile(?:\.|$)|\.mak$|\.mk$/
const RULE = /^[^\s#:=][^#:=]*:{1,2}(?![:=])(?!\s*[\w.-]+\s*[:+?]?=)/
/** Lines among those of a recipe that are no commands: they are indented as anybody likes. */
const DIRECTIVE =
  /^\s*(?:(?:else|endif|endef)\b|(?:ifn?eq|ifn?def|-?include|sinclude|define|export|unexport|override|vpath)\b|#)|^\s*[\w.-]+\s+[:+?!]?=\s/
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
  const belongs = (line: string): boolean => indentOf(line) !== '' || line.trim() === '' || DIRECTIVE.test(line)
  while (to < lines.length && belongs(lines[to] ?? '')) to++
  return to
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
    if (!RULE.test(lines[at] ?? '')) continue
    while (lines[at]?.trimEnd().endsWith('\\') === true) at++
    const to = recipeEnd(lines, at + 1)
    const depth = commonBlanks(lines.slice(at + 1, to))
    const isCommand = (line: string): boolean =>
      line.startsWith(' ') && line.trim() !== '' && !DIRECTIVE.test(line) && !INDENTED_RULE.test(line)
    for (let own = at + 1; own < to; own++) {
      const line = lines[own] ?? ''
      if (isCommand(line) && !known.has(line)) lines[own] = `\t${line.slice(depth)}`
    }
    at = to - 1
  }
  return lines.join('\n')
}
