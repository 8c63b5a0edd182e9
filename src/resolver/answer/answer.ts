import type { Answer } from '../../core/resolution.ts'

type Part = 'cause' | 'fix' | 'code'

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * The parts, in the order in which the prompt asks for them. Headings may be in any language, so their order decides,
 * not their words.
 */
const PARTS: readonly Part[] = ['cause', 'fix', 'code']

/** The fence that is open after a line of fence marks, or null when they close it. */
function fenceAfter(open: string | null, mark: string): string | null {
  if (open === null) return mark
  return mark.startsWith(open) ? null : open
}

/** The level that most headings outside code have: a single `#` title above three `##` does not count as a part. */
function topLevel(lines: readonly string[]): number {
  const counts = new Map<number, number>()
  let fence: string | null = null
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined) fence = fenceAfter(fence, mark)
    const level = fence === null ? HEADING.exec(line)?.[1]?.length : undefined
    if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1)
  }
  const several = [...counts].filter(([, count]) => count > 1).map(([level]) => level)
  return Math.min(...(several.length > 0 ? several : counts.keys()), 7)
}

function cutAtHeadings(text: string): Map<Part, string> {
  const parts = new Map<Part, string[]>()
  const lines = text.split('\n')
  const level = topLevel(lines)
  let fence: string | null = null
  let next = 0
  let current: string[] | null = null
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined) fence = fenceAfter(fence, mark)
    const heading = fence === null && mark === undefined ? HEADING.exec(line) : null
    const part = PARTS[next]
    if (heading !== null && heading[1]?.length === level && part !== undefined) {
      current = []
      parts.set(part, current)
      next++
    } else {
      current?.push(line)
    }
  }
  return new Map([...parts].map(([part, body]) => [part, body.join('\n').trim()]))
}

/**
 * Splits a model's markdown into the explanation and the fix. Without headings all of it is the explanation.
 * `readPatch` reads the patch in it, since that needs the files.
 */
export function readAnswer(text: string): Omit<Answer, 'patch' | 'patchStatus'> {
  const parts = cutAtHeadings(text)
  const explanation = parts.get('cause') ?? ''
  const fix = [parts.get('fix'), parts.get('code')].filter(part => part !== undefined && part !== '').join('\n\n')
  return {
    text,
    explanation: explanation === '' ? text.trim() : explanation,
    fix,
  }
}
