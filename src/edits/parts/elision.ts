import { trimEndOf } from '../text/trim-end-of.ts'
import { isDotted, isPlaceholder } from '../text/ellipsis.ts'

/** How a kind of file says in words or dots that something is left out. */
interface Manner {
  /** A line of dots is no statement. */
  hasDots: boolean
  /** `#`, `*` and `-` begin content and no comments. */
  isProse: boolean
  /** Blocks stand in braces. */
  hasBraces: boolean
}

const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt|tex)$|(?:^|\/)(?:readme|license|licence|changelog)$/i
/** Files in which a line of three dots means something. */
const OWN_DOTS = /\.(?:py|pyi|pyx|ya?ml|r|rmd|jl|hs)$/i
const NO_BRACES = /\.(?:py|pyi|pyx|ya?ml|rb|sh|bash|toml|ini|cfg|env|sql|html?|xml|txt|md)$/i
const DOTS_IN_BRACES = /\{\s*(?:\/\*\s*)?(?:\.{3,}|…)(?:\s*\*\/)?\s*\}/
/** A comment behind code that is nothing but dots. */
const DOTS_BEHIND = /(?:\s(?:#|\/\/|--)|\/\*)\s*(?:\.{3,}|…)\s*(?:\*\/\s*[})\];]*)?$/
const IN_BRACKETS = /^(?:<!--.*-->|[*_]{0,2}[[(].*[\])][*_]{0,2}|(?:\.{3}|…).*)$/
/** A value that stands for others in a file of settings. */
const DOTS_AS_VALUE = /^\s*(?:"(?:\.{3}|…)"\s*:|"(?:\.{3}|…)",?\s*$)/
const MAX_LINE = 300

const mannerOf = (path: string): Manner => ({
  isProse: PROSE.test(path),
  hasDots: !OWN_DOTS.test(path),
  hasBraces: !NO_BRACES.test(path),
})

function saysSo(line: string, { isProse, hasDots, hasBraces }: Manner): boolean {
  const text = line.trim()
  if (isProse) {
    const words = trimEndOf(text.replace(/^(?:<!--|[*_]{1,3})/, '').replace('-->', ''), ' *_')
    return IN_BRACKETS.test(text) && isPlaceholder(`# ${words.trim()}`)
  }
  if (isPlaceholder(line)) return true
  if (isDotted(line)) return hasDots || !/^\s*(?:\.{3}|…)\s*$/.test(line)
  return DOTS_BEHIND.test(text) || (hasBraces && (DOTS_IN_BRACES.test(text) || DOTS_AS_VALUE.test(text)))
}

/**
 * Returns a function that tells whether a line of a block stands for lines of the file that are left out. A line that
 * the file has, too, is none.
 */
export function elisionTest(path: string, before: readonly string[]): (line: string) => boolean {
  const manner = mannerOf(path)
  const known = new Set(before.map(line => line.trim()))
  return line => line.length <= MAX_LINE && saysSo(line, manner) && !known.has(line.trim())
}
