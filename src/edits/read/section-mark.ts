import { isPathLike } from './path-like.ts'
import { stripQuotes } from './plain-name.ts'

/** Characters of rules. */
const RULE = '=-#*<>~'
/** What may stand before a rule, and between it and a name. */
const COMMENT = /^(?:#|\/\/|--|;)\s+/
const WORDS = /^(?:(?:begin|start|new)\s+)?(?:file(?:name|path)?\s*[:=]?\s+)?/i
const ENDS = /^(?:end|eof)\b/i
/** A longer line is no name in rules. */
const MAX_LINE = 400
const LABELLED =
  /^(?:\*\*)?(?:file(?:[ -]?(?:name|path))?|path)(?:\*\*)?\s*[:=]\s*(?:\*\*)?\s?[`"']?([^\s`"'*]+)[`"']?(?:\*\*)?$/i

/** The number of characters of a rule at one end of a text: three at least, all alike. */
function ruleAt(text: string, step: 1 | -1): number {
  const [first = ''] = step === 1 ? text : text.slice(-1)
  let length = 0
  while (RULE.includes(first) && text.at(step === 1 ? length : -1 - length) === first) length++
  return length >= 3 && length < text.length ? length : 0
}

/** What stands behind a rule, without one at its end; null for a line that begins with none. */
function textInRules(line: string): { text: string; isClosed: boolean } | null {
  if (line.length > MAX_LINE) return null
  const bare = line.trimEnd().replace(COMMENT, '')
  const from = ruleAt(bare, 1)
  if (from === 0) return null
  const length = ruleAt(bare, -1)
  return { text: bare.slice(from, bare.length - length).trim(), isClosed: length > 0 }
}

/** The file that a line in rules names: `=== src/a.py ===`; null for any other. */
export function nameInRules(line: string): string | null {
  const inner = textInRules(line)
  if (inner?.isClosed !== true) return null
  const name = stripQuotes(inner.text.replace(WORDS, ''))
  return isPathLike(name, 'strict') && !/\s/.test(name) ? name : null
}

/** Whether a line in rules ends a file: `=== END ===`. */
export function endsSection(line: string): boolean {
  const inner = textInRules(line)
  return inner !== null && ENDS.test(inner.text)
}

/** The file that a label names, alone on a line: `FILE: src/a.py`; null for any other. */
export function nameInLabel(line: string): string | null {
  const name = LABELLED.exec(line.trim())?.[1]
  return name !== undefined && isPathLike(name, 'strict') ? name : null
}
