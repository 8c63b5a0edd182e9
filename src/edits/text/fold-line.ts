const PLAIN: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚‛′´'].map(quote => [quote, "'"] as const),
  ...[...'“”„‟″«»'].map(quote => [quote, '"'] as const),
  ...[...'‐‑‒–—―−'].map(dash => [dash, '-'] as const),
  ...[...'\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000'].map(
    blank => [blank, ' '] as const,
  ),
])

/**
 * A line as readers see it: composed letters, plain quotes, dashes and blanks, no blanks at its end. Text of ASCII
 * costs nothing but the last.
 */
export function foldLine(line: string): string {
  if (!/[^\x20-\x7E\t]/.test(line)) return line.trimEnd()
  return line
    .normalize('NFC')
    .replace(/[\u00A0-\uFFFF]/g, char => PLAIN.get(char) ?? char)
    .replaceAll('\u200B', '')
    .replaceAll('\uFEFF', '')
    .trimEnd()
}

/**
 * How lines of a reply are spelled in the file: characters that the file has plain wherever the reply has them
 * otherwise.
 *
 * @param pairs - Lines that fold to the same.
 */
export function plainSpelling(pairs: ReadonlyArray<{ reply: string; file: string }>): (line: string) => string {
  const plain = new Set<string>()
  for (const { reply, file } of pairs) {
    for (const char of reply) if (PLAIN.has(char) && !file.includes(char)) plain.add(char)
  }
  return plain.size === 0
    ? line => line
    : line => [...line].map(char => (plain.has(char) ? (PLAIN.get(char) ?? char) : char)).join('')
}
