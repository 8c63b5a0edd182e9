import { OPEN_PAREN } from '../outline/lexis/tokens.ts'
import { functionAt, joined, statementsOf, tokensOfLines, wordAt, type Source, type TokenRange } from './source.ts'

/** A value that a change tests for being there. */
interface Tested {
  /** The expression, its tokens with spaces between them. */
  name: string
  /** What is done where it is missing; null where it is just passed over. */
  body: TokenRange | null
  before: Source
  beforeLine: number
  after: Source
}

/** Calls that answer nothing where there is nothing, by their last name. */
const LOOKUP =
  /^(?:get|find\w*|match|search|exec|fullmatch|getElementById|querySelector|closest|getAttribute|getenv|getItem|first|last|firstWhere|detect|lookup|peek|poll|scan_once|shift|pop_front|try_\w+|\w+_?or_?(?:null|none|nil|default)|dig)$/i

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Whether the text declares that something of this name may be missing. */
function isDeclaredOptional(source: Source, name: string): boolean {
  const text = joined(source, { from: 0, to: source.words.length })
  const word = escaped(name)
  const forms = [
    String.raw`\b${word} : (?:Optional|typing \. Optional) \[`,
    String.raw`\b${word} : [\w.[\]<>, ]{1,60} \| (?:None|null|undefined)\b`,
    String.raw`\b${word} : (?:None|null|undefined) \|`,
    String.raw`\b${word} \? :`,
    String.raw`\b${word} (?:: [\w.[\]<>| ]{1,60} )?= (?:None|null|nil|undefined)\b`,
    String.raw`\? (?:[\w\\]{1,40} )?${word} [,;)=]`,
    String.raw`\b[\w\\]{1,40} \? ${word} [,;)=]`,
    String.raw`@ (?:Nullable|CheckForNull) (?:[\w<>,?]{1,40} ){1,5}${word}\b`,
    String.raw`\b${word} : [\w<>]{1,40} \?`,
    String.raw`\bOptional < [\w<>]{1,40} > ${word}\b`,
    String.raw`\b${word} : Option <`,
  ].map(form => form.replace(String.raw`\b$`, String.raw`\$`))
  return forms.some(form => new RegExp(form).test(text))
}

/** Whether the function gets the value from a call that may answer nothing. */
function isLookedUp({ name, before, beforeLine }: Tested): boolean {
  const { tokens, words } = before
  const { from, to } = tokensOfLines(before, functionAt(before, beforeLine))
  for (let at = from; at < to; at++) {
    if (words[at] !== name || !['=', ':'].includes(words[at + 1] ?? '')) continue
    const end = words[at + 1] === ':' ? at + 3 : at + 2
    for (let next = end; next < to && next - end < 40; next++) {
      if (tokens.startsLine(next) && words[next] !== '.') break
      const isCall = tokens.kind(next + 1) === OPEN_PAREN && LOOKUP.test(wordAt(before, next))
      const isLast = tokens.over(next + 1) + 1 >= to || !['.', '['].includes(wordAt(before, tokens.over(next + 1) + 1))
      if (isCall && isLast) return true
    }
  }
  return false
}

/** Whether the function already answered so before: who calls it has to reckon with that. */
function isAnsweredAlready({ body, before, beforeLine, after }: Tested): boolean {
  if (body === null) return false
  const answer = joined(after, statementsOf(after, body).at(-1) ?? body)
  if (!/^return \S/.test(answer)) return false
  const lines = functionAt(before, beforeLine)
  return ` ${joined(before, tokensOfLines(before, lines))} `.includes(` ${answer} `)
}

/**
 * Whether the code said before the change that a value may be missing: then a test for it mends what was forgotten. It
 * is declared so, it comes from a call that may find nothing, or the function answered in the same way already.
 */
export function isMeant(tested: Tested): boolean {
  const { name, before } = tested
  const names = name.match(/[\w$@]+/g) ?? []
  const last = names.at(-1) ?? ''
  const isCall = name.includes(' (')
  if (isCall && names.some(one => LOOKUP.test(one))) return true
  if (isAnsweredAlready(tested)) return true
  return isDeclaredOptional(before, last) || isLookedUp({ ...tested, name: last })
}
