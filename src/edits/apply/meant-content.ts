import { replyProblem, type EditProblem, type FileBlock, type FileDiff } from '../edit.ts'
import { readDiffs } from '../read/diff/read-diff.ts'
import { hasEntity, withoutEntities } from '../text/entities.ts'

/** Files whose lines may begin with signs, or hold characters as HTML escapes them. */
const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt|csv|tsv|ya?ml|diff|patch)$/i
const MARKUP = /\.(?:[sx]?html?|xml|svg|vue|svelte|astro|[jt]sx|php|erb|ejs|hbs|j2|jinja2?|tmpl|njk|twig)$/i
/** Escapes where code has a sign and no text. */
const IN_CODE = /&amp;&amp;|[=-]&gt;|\s&[lg]t;=?\s|include &lt;|\w&lt;[\w.]+&gt;/

const MIXED =
  'Some lines of this block begin with "+" or "-" as in a diff, and others are not in the file. ' +
  'Send a unified diff, or the whole file without these signs.'
const ESCAPED =
  'This block has characters as HTML escapes them (&lt; and the like) beside plain ones. Send it again as plain text.'

const QUOTES_IN_CODE = /(?:[=(,:[]|\breturn)\s*[“”‘’„]/
const CURLY = 'This block has typographic quotes where code has plain ones. Send it again with plain quotes.'

/** A block as it is meant, or why that cannot be told. */
type MeantContent = { file: FileBlock } | { diff: FileDiff } | { problem: EditProblem }

const isFilled = (line: string): boolean => line.trim() !== ''

function problemOf({ path, content }: FileBlock, detail: string): MeantContent {
  return { problem: replyProblem('malformed', detail, { path, text: content.slice(0, 2000) }) }
}

/** A block as the diff that its lines are by their signs; null for one without such lines. */
function asDiff(file: FileBlock, lines: readonly string[], before: string): MeantContent | null {
  if (!lines.some(line => /^[+-]/.test(line))) return null
  const known = new Set(before.split(/\r?\n/))
  const signed = lines.filter(line => /^[+-]/.test(line) && !known.has(line))
  const others = lines.filter(line => isFilled(line) && !/^[+-]/.test(line))
  const isContext = others.every(line => known.has(line) || known.has(line.slice(1)))
  const removes = signed.some(line => line.startsWith('-') && isFilled(line.slice(1)) && known.has(line.slice(1)))
  const adds =
    signed.length > 0 && signed.every(line => line.startsWith('+')) && others.length > 0 && !PROSE.test(file.path)
  if (!removes && !(adds && isContext)) return null
  if (!isContext) return problemOf(file, MIXED)
  const text = { lines, hasCr: () => false, end: lines.length, within: 'fence' as const }
  const [diff] = readDiffs(text, 0, file.path).diffs
  return diff === undefined ? problemOf(file, MIXED) : { diff: { ...diff, line: file.line } }
}

/** A block without the escapes of HTML, where all of it has them; null for one that has none to take out. */
function unescaped(file: FileBlock, lines: readonly string[], before: string | undefined): MeantContent | null {
  if (!hasEntity(file.content) || MARKUP.test(file.path) || PROSE.test(file.path)) return null
  if (before !== undefined && hasEntity(before)) return null
  const known = new Set(before?.split(/\r?\n/))
  const isEscaped = lines.some(line => hasEntity(line) && (known.has(withoutEntities(line)) || IN_CODE.test(line)))
  if (!isEscaped) return null
  const isMixed = /[<>]|&(?!(?:lt|gt|quot|#39|#x27|apos|nbsp|amp);)/.test(file.content)
  return isMixed ? problemOf(file, ESCAPED) : { file: { ...file, content: withoutEntities(file.content) } }
}

/** Whether typographic quotes begin texts of code in which no plain ones stand. */
const hasCurlyQuotes = ({ path }: FileBlock, lines: readonly string[], before: string | undefined): boolean =>
  !PROSE.test(path) &&
  !MARKUP.test(path) &&
  lines.some(line => QUOTES_IN_CODE.test(line) && !/["'`#]|\/\//.test(line) && before?.includes(line) !== true)

/**
 * A block as it is meant, by the file that is there: a diff where its lines have signs and stand in the file without
 * them, plain text where all of it is escaped as in HTML.
 */
export function meantContent(file: FileBlock, before: string | undefined): MeantContent {
  const lines = file.content.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  if (hasCurlyQuotes(file, lines, before)) return problemOf(file, CURLY)
  const filled = lines.filter(isFilled)
  const isAdded = before === undefined && filled.length > 0 && filled.every(line => line.startsWith('+'))
  if (isAdded && !PROSE.test(file.path)) {
    const content = file.content.replace(/^\+/gm, '')
    return { file: { ...file, content } }
  }
  const diff = before === undefined ? null : asDiff(file, lines, before)
  return diff ?? unescaped(file, lines, before) ?? { file }
}
