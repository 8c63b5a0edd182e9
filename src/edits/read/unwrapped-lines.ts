import { readFence, type Fence } from './fence-lines.ts'
import { withoutEntities } from '../text/entities.ts'

const QUOTED_FENCE = /^>\s?(?:`{3,}|~{3,})/
const PRE_BEGINS = /^\s*<pre[^<>]{0,200}>\s*<code([^<>]{0,200})>(.*)$/i
const PRE_ENDS = /^(.*)<\/code>\s*<\/pre>\s*$/i
const LANGUAGE = /lang(?:uage)?-([\w+#-]+)/
const FENCE = '~~~~~~~'
/** Marks that servers put around calls of tools, where they leave them in the text. */
const MAY_BE_CALL = /^\s*(?:<\||\[TOOL_CALLS\]|functools|<\/?(?:function|parameter))|<\/function>\s*$|(?:\|>|<\/s>)$/
const BEFORE_CALL = /^\s*(?:<\|[\w ]{1,30}\|>|\[TOOL_CALLS\]|functools)\s*(?=[[{])/
const BEHIND_CALL = /(?<=[\]}])\s*(?:<\|[\w ]{1,30}\|>|<\/s>)$/
/** Tags of calls whose name is behind a sign: `<function=edit>`, `<parameter=path>`. */
const CALL_TAG = /^(\s*)<(function|parameter)=([\w.:-]{1,60})>/
const ENDS_FUNCTION = /<\/function>\s*$/

/** Takes the marks of a quote from lines that are quoted with a fence among them; the first line after them. */
function unquote(lines: string[], at: number): number {
  let from = at
  while (lines[from - 1]?.startsWith('>') === true) from--
  let to = at
  while (lines[to]?.startsWith('>') === true) to++
  for (let i = from; i < to; i++) lines[i] = (lines[i] ?? '').replace(/^> ?/, '')
  return to
}

const lineAt = (lines: readonly string[], at: number): string => lines[at] ?? ''

/** The line on which `<pre><code>` of this line ends; that behind the last one where it does not. */
function endOfPre(lines: readonly string[], at: number): number {
  let end = at + 1
  while (end < lines.length && !PRE_ENDS.test(lineAt(lines, end)) && !PRE_BEGINS.test(lineAt(lines, end))) end++
  return end
}

/**
 * Puts a fence in the place of the tags of `<pre><code>`, or on the blank line beside them; the first line after them,
 * or null where there is no room.
 */
function unwrapPre(lines: string[], at: number): number | null {
  const begin = PRE_BEGINS.exec(lineAt(lines, at))
  const end = endOfPre(lines, at)
  const close = PRE_ENDS.exec(lineAt(lines, end))
  if (begin === null || close === null) return null
  const [, attributes = '', first = ''] = begin
  const [, last = ''] = close
  const from = first === '' ? at : at - 1
  const to = last === '' ? end : end + 1
  const isRoom = [from, to].every(own => own === at || own === end || lines[own]?.trim() === '')
  if (!isRoom) return null
  lines[at] = first
  lines[end] = last
  for (let i = at; i <= end; i++) lines[i] = withoutEntities(lineAt(lines, i))
  lines[from] = FENCE + (LANGUAGE.exec(attributes)?.[1] ?? '')
  lines[to] = FENCE
  return to + 1
}

/** A line of a call as others write it: `<invoke name="edit">` for `<function=edit>`, JSON without marks around it. */
function plainCall(line: string): string {
  if (line.includes('<function=') || line.includes('<parameter=') || line.includes('</function>')) {
    return line
      .replace(CALL_TAG, (_, indent: string, tag: string, name: string) =>
        tag === 'function' ? `${indent}<invoke name="${name}">` : `${indent}<parameter name="${name}">`,
      )
      .replace(ENDS_FUNCTION, '</invoke>')
  }
  return line.replace(BEFORE_CALL, '').replace(BEHIND_CALL, '')
}

/**
 * Puts fences where blocks of code stand in a quote (`> ` before each line) or between tags of HTML, in place, and
 * spells calls of tools in one way. Lines keep their numbers; those in fences stay as they are.
 */
export function unwrapLines(lines: string[]): void {
  let opener: Fence | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const fence = readFence(line)
    if (opener !== null) {
      const isClosed = fence !== null && fence.info === '' && fence.mark.startsWith(opener.mark)
      if (isClosed) opener = null
    } else if (fence !== null) {
      opener = fence
    } else if (QUOTED_FENCE.test(line)) {
      at = unquote(lines, at) - 1
    } else if (PRE_BEGINS.test(line)) {
      at = (unwrapPre(lines, at) ?? at + 1) - 1
    } else if (MAY_BE_CALL.test(line)) {
      lines[at] = plainCall(line)
    }
  }
}
