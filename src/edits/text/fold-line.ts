/** The plain character for each one that editors and models write in its place. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚‛′´'].map(quote => [quote, "'"] as const),
  ...[...'“”„‟″«»'].map(quote => [quote, '"'] as const),
  ...[...'‐‑‒–—―−'].map(dash => [dash, '-'] as const),
  ...[...'\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000'].map(
    blank => [blank, ' '] as const,
  ),
])

const NOT_ASCII = /[^\x20-\x7E\t]/

/**
 * A line as readers see it: composed letters, plain quotes, dashes and blanks, no blanks at its end. A line of plain
 * ASCII only loses the blanks at its end.
 */
export function foldLine(line: string): string {
  if (!NOT_ASCII.test(line)) return line.trimEnd()
  return line
    .normalize('NFC')
    .replace(/[\u00A0-\uFFFF]/g, char => PLAIN.get(char) ?? char)
    .replaceAll('\u200B', '')
    .replaceAll('\uFEFF', '')
    .trimEnd()
}

/**
 * Returns a function that spells a line of the reply as the file would: characters become plain that some line of the
 * reply has and its line of the file has not.
 *
 * @param pairs - Lines that fold to the same.
 */
export function plainSpelling(pairs: ReadonlyArray<{ reply: string; file: string }>): (line: string) => string {
  const plain = new Map<string, string>()
  for (const { reply, file } of pairs) {
    for (const char of reply) {
      const spelled = PLAIN.get(char)
      if (spelled !== undefined && !file.includes(char)) plain.set(char, spelled)
    }
  }
  if (plain.size === 0) return line => line
  return line => Array.from(line, char => plain.get(char) ?? char).join('')
}
