import { nameFromLine, MAX_NAME_LINE, type FileName } from './file-name.ts'
import { agreesWith, COMMANDS, NOT_A_FILE, PART, PLACE } from './name-words.ts'
import { isHeading } from './plain-name.ts'

/** Lines between a name and the fence that has its content. */
const MAX_LINES_BETWEEN = 16
const BULLET = /^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s/

/** Whether a line is a title: a heading, a summary, or nothing but bold text. */
const isTitle = (line: string): boolean =>
  isHeading(line) || /^\s*(?:<details[^<>]*>\s*)?<summary>/i.test(line) || /^\s*\*\*[^*]+\*\*:?\s*$/.test(line)

/** How sure a name is with these lines between it and the block; null for the name of something else. */
function namedBy(between: readonly string[], language: string): FileName['named'] | null {
  const last = between.findLast(line => line.trim() !== '')?.trim()
  if (last === undefined) return 'line'
  const isCommand = COMMANDS.has(language) || language === ''
  if (isCommand && NOT_A_FILE.test(last)) return null
  return last.endsWith(':') && (PART.test(last) || PLACE.test(last)) ? 'part' : 'sentence'
}

/**
 * The name of a block that stands further up than the line above it: in a title with sentences or items between, or
 * alone on a line with several blank ones.
 *
 * @param floor - The first line that may name the block.
 */
export function nameFurtherUp(
  lines: readonly string[],
  at: number,
  { floor, language }: { floor: number; language: string },
): FileName | null {
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_BETWEEN); above--) {
    const line = lines[above] ?? ''
    if (line.trim() === '' || line.length > MAX_NAME_LINE) continue
    const between = lines.slice(above + 1, at)
    const isNearest = between.every(other => other.trim() === '')
    const isName = isTitle(line) || (isNearest && !BULLET.test(line))
    const name = isName ? nameFromLine(line, language) : null
    if (name?.named === 'line') {
      const named = namedBy(between, language)
      return named === null || !agreesWith(name.path, language) ? null : { ...name, named }
    }
    if (isHeading(line)) return null
  }
  return null
}
