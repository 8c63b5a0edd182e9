import { readFence } from '../read/fence-lines.ts'

const SAYS_SO =
  /\b(?:continu|resum|left off|stopped|pick(?:ing)? up|the (?:rest|remain)|weiter|fortsetz)|продолж|继续|続/iu
const BEGINS =
  /^(?:(?:i['’]?m |i am |so )?sorry|(?:my )?apolog|continu|resuming|picking up|here(?:['’]s| is)|i['’]ll|let me|of course|sure|certainly|okay?\b|entschuldigung|weiter|hier|извин|продолж|继续|続)/iu
const ENDS = /[:.!…：。]\**$/
const MAX_CHARS = 200

/** Whether a sentence says that a text goes on. */
export const saysItGoesOn = (text: string): boolean => SAYS_SO.test(text)

/**
 * The lines of a continuation behind a sentence that says only that it goes on, and the blank line after it; null where
 * there is none.
 */
export function behindPreamble(next: readonly string[]): readonly string[] | null {
  const at = next.findIndex(line => line.trim() !== '')
  const line = next[at]?.trim() ?? ''
  if (line.length > MAX_CHARS || !BEGINS.test(line) || !ENDS.test(line) || !saysItGoesOn(line)) return null
  const [blank = '', after = ''] = next.slice(at + 1, at + 3)
  if (blank.trim() !== '' || at + 2 >= next.length || readFence(after) !== null) return null
  return next.slice(at + 2)
}
