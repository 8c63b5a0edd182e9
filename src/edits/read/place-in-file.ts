import { isPathLike } from './path-like.ts'

/** Lines behind the name of a file: `a.py:13`, `a.py:13-20`, `a.py#L13-L20`, `a.py (lines 13-20)`, `a.py (L13-L20)`. */
const BEHIND =
  /^(\S{1,300}?)(?::\d{1,6}(?:[-:–]\d{1,6})?|#L\d{1,6}(?:-L?\d{1,6})?|,? [([]?(?:at |around )?(?:lines? |L)\d{1,6}(?: ?(?:-|–|to|and) ?L?\d{1,6})?[)\]]?)$/i
/** Lines before it: `13:20:a.py`. */
const BEFORE = /^\d{1,6}:\d{1,6}:(\S{1,300})$/

/** The file in which a text names a line or several; null for any other text. */
export function fileOfPlace(text: string): string | null {
  const plain = text.replaceAll('`', '').trim()
  const path = (BEFORE.exec(plain) ?? BEHIND.exec(plain))?.[1]
  return path !== undefined && isPathLike(path, 'strict') ? path : null
}
