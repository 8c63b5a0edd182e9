const LEVEL = '[VDIWEFA]'
const TAG = '[^:]{1,64}'

// The layouts of `logcat -v threadtime`, of Android Studio before and after 2022, and of `-v brief`.
const LAYOUTS = [
  new RegExp(
    `^(?:(?:\\d{4}-)?\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3,9} {1,8})?\\d{1,7} {1,8}\\d{1,7} ${LEVEL} ${TAG}: ?`,
  ),
  new RegExp(`^\\d{1,7}-\\d{1,7}(?:/[\\w.?:-]{1,255})? ${LEVEL}/${TAG}: ?`),
  new RegExp(`^\\d{1,7}-\\d{1,7} \\S{1,64} {1,64}[\\w.?]{1,255} {1,64}${LEVEL} {1,3}`),
  new RegExp(`^${LEVEL}/[^:(]{1,64}(?:\\([ \\d]{1,10}\\))?: ?`),
]

/** Length of what Android's log prints before a message; 0 when the line has no such prefix. */
export function logcatLength(line: string): number {
  const first = line.charCodeAt(0)
  const isDigit = first >= 48 && first <= 57
  if (!isDigit && line[1] !== '/') return 0
  for (const layout of LAYOUTS) {
    const prefix = layout.exec(line)?.[0]
    if (prefix !== undefined) return prefix.length
  }
  return 0
}
