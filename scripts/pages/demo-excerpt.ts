// What the README shows of `npm run demo`: its last step, with one of the files that it prints.

/** What differs from run to run: folders, ports, commits and days. */
const MASKS: ReadonlyArray<readonly [RegExp, string]> = [
  [/(?:\/[^\s/'"]+)+\/faultline-demo-\w+/g, '/srv'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:8000'],
  [/\b[0-9a-f]{10}\b/g, '1f0c9e7a35'],
  [/\b\d{4}-\d\d-\d\d\b/g, '2026-01-31'],
]

const LAST_STEP = /^\d+\. What it printed goes to the server as it is\.$/
const END = /^Code of \S+ as committed in /
const CODE_HEADER = /^=== File: /

/** Text from one line to another, both included. */
function between(lines: readonly string[], first: RegExp, last: RegExp): string[] {
  const from = lines.findIndex(line => first.test(line))
  const to = lines.findIndex(line => last.test(line))
  if (from === -1 || to < from) throw new Error(`the demo printed nothing between ${first.source} and ${last.source}`)
  return lines.slice(from, to + 1)
}

/**
 * The lines with all files but the first left out, and the names of less likely ones, whose order may follow words of
 * the folder that the demo runs in.
 */
function withOneFile(lines: readonly string[]): string[] {
  const [, second = lines.length] = [...lines.keys()].filter(index => CODE_HEADER.test(lines[index] ?? ''))
  const after = lines.findIndex((line, index) => index > second && line === 'Suspect commits')
  return after === -1 ? [...lines] : [...lines.slice(0, second), '…', '', ...lines.slice(after)]
}

/**
 * The part of the demo's output that the README shows, the same for each run.
 *
 * @param output - What `npm run demo` prints without colours, a model and keys.
 */
export function demoExcerpt(output: string): string {
  const [, ...lines] = between(output.split('\n'), LAST_STEP, END)
  const shown = withOneFile(lines.filter(line => !line.startsWith('  answered in ')))
  const commandEnd = shown.indexOf('')
  const text = shown.map((line, index) => (index < commandEnd ? line.replace(/^ {2}/, '') : line)).join('\n')
  return MASKS.reduce((masked, [pattern, word]) => masked.replace(pattern, word), text)
}
