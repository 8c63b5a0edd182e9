import type { AsideReason } from '../edit.ts'
import { anyOf } from '../text/any-of.ts'
import { COMMANDS } from './name-words.ts'

/** What tells whether a block without a name is for a file. */
interface Unnamed {
  /** In lower case; '' for none. */
  language: string
  lines: readonly string[]
  /** The last line of text above it, since the block before; '' for none. */
  above: string
  /** The heading that it stands below; '' for none. */
  heading: string
}

/** Languages of plain text and data, in which examples of input and output are shown. */
const DATA: ReadonlySet<string> = new Set(
  'text txt plaintext plain json jsonc json5 xml yaml yml csv tsv html http ini toml markdown md'.split(' ').concat(''),
)
const PLAIN: ReadonlySet<string> = new Set(['', 'text', 'txt', 'plaintext', 'plain'])
/** Languages that say what a block shows. */
const BY_LANGUAGE: ReadonlyMap<string, AsideReason> = new Map([
  ...['mermaid', 'dot', 'graphviz', 'plantuml', 'math', 'ascii', 'tree'].map(
    language => [language, 'listing'] as const,
  ),
  ...['output', 'stdout', 'stderr', 'log', 'traceback', 'pytb', 'pycon', 'http'].map(
    language => [language, 'output'] as const,
  ),
])

/** Words of the line above that announce how something is used. */
const EXAMPLE = anyOf(
  [
    /\b(?:examples?|e\.g\.|for instance|usage|pseudo-?code|use it|using it|call it (?:like|with|from|as follows|so)|try it|test it|check it|verify)\b/,
    /\b(?:(?:you|it|they|we) can (?:then |now )?(?:be )?(?:call|used?|run)|how to (?:use|run|call|test)|interactive|repl|playground|demo)\b/,
    /\b(?:beispiel|exemple|ejemplo|exemplo)\b|пример|例/,
  ],
  'i',
)
/** Words of the line above that announce what is run, and what comes out. */
const OUTPUT = anyOf(
  [
    /^(?:(?:then|now|and|finally|next|to),? )*(?:run|execut|start)\w*\b|\brunning (?:it|this|the)\b|\bwhen (?:it is |you )?run\b/,
    /\b(?:prints?|printed|outputs?|produces?|responds?|responses?|request:|you(?:'ll| will| should| can)? see)\b/,
    /\b(?:server|program|command|script|service|endpoint|api|page|call|client|it|this) (?:now |then )?(?:returns?|answers?|shows?|logs?|displays?)\b(?! errors)/,
    /\b(?:output|response|request|result|answer|log|message|page)\b.{0,40}\blooks? like\b/,
    /\b(?:results? (?:in|is|are)|traceback|stack ?trace|error message)\b/,
    /\b(?:ausgabe|führ\w* .* aus|sortie|salida|saída)\b|вывод|запус|输出|运行|出力|実行/,
  ],
  'i',
)
/** Words of the line above that announce a change: what follows is meant to get into a file. */
const CHANGE = anyOf(
  [
    /\b(?:add|adds|adding|replace[sd]?|change[sd]?|update[sd]?|modif(?:y|ied|ies)|fix(?:e[sd])?|insert|append|create[sd]?)\b/,
    /\b(?:write|edit|put|paste|save|rename|move|rewrite|rewritten|refactor(?:ed)?|implement(?:s|ed|ation)?|new|becomes?)\b/,
    /\b(?:should (?:be|become|read|look)|following (?:code|file|content|contents|version)|instead|corrected|final)\b/,
    /добав|замен|измен|исправ|создай|ersetz|füge|ändere|erstell|remplac|ajout|crée|reempla|añad|crea|替换|添加|修改|创建|追加/,
  ],
  'i',
)
/** Headings of sections about using the program, not about its files. */
const ABOUT_USE =
  /\b(?:usage|examples?|how to (?:use|run|test)|running|run (?:it|the)|testing it|try it|quick ?start|demo|expected output)\b/i
/** Headings of sections that show data, but may hold code as well. */
const ABOUT_PROJECT =
  /\b(?:install(?:ation|ing)?|set-?up|getting started|explanation|structure|layout|verif\w+|outputs?|results?|api)\b/i

/** Words of the line above that announce what the code is like before the change. */
const BEFORE =
  /\b(?:faults?|faulty|problem(?:atic)?|bugs?|buggy|issue|cause[sd]?|culprit|currently|current|was|were|before|originals?|originally|existing|old|excerpts?|reason|why|fails|crash\w*)\b/i

/** Whether a line announces code as it is, and speaks of no change. */
export const announcesOld = (above: string): boolean => BEFORE.test(above) && !CHANGE.test(above)

/** Words with which a reply takes back what it has said. */
const CORRECTION =
  /\b(?:(?:that|this|which|it|above|previous\w*|first \w+) (?:is|was|has|had|contains?|contained)\b.{0,40}\b(?:wrong|incorrect|mistakes?|bugs?|errors?|typos?|not right|not correct)|(?:here(?:'s| is)|use) the (?:right|correct|corrected) |scratch that|(?:ignore|disregard|discard) (?:that|the (?:above|previous|first))|^(?:wait|oops|sorry|correction|no)\b)/i

/** Whether lines take back what the reply has shown before them. */
export const takesBack = (lines: readonly string[]): boolean => lines.some(line => CORRECTION.test(line.trim()))

/** What stands for code in the example of a format. */
const PLACEHOLDER = /^(?:[A-Z][A-Z_ ]*|<[^<>]{1,40}>|\.{3}|…)$/
const PROMPT = /^\s*(?:\$|%|>>>|PS [^>]*>|>)\s+\S/
const PROGRAMS: ReadonlySet<string> = new Set(
  `
    npm npx yarn pnpm bun deno node tsc ts-node jest vitest mocha eslint prettier python python3 py pip pip3 pipx uv
    poetry pytest tox flask uvicorn gunicorn django-admin git cd mkdir cp mv rm ls cat touch chmod chown echo export
    source sudo time curl wget docker docker-compose podman kubectl helm make cmake cargo rustc go java javac mvn
    gradle dotnet ruby bundle rails rake gem php composer perl bash sh zsh brew apt apt-get yum apk systemctl ssh scp
    psql mysql sqlite3 redis-cli aws gcloud az terraform
  `
    .trim()
    .split(/\s+/),
)
const TREE = /[├└│]|^\s*(?:\|--|`--|\+--)/
const TRACE =
  /^\s*(?:Traceback \(most recent call last\):|at .*:\d+|File "[^"]+", line \d+|(?:\w+\.)*\w*(?:Error|Exception)\b.*:)/
const TEST_REPORT = /^\s*(?:PASS|FAIL|ok|not ok|✓|✔|✕|✗|={5}|\d+ (?:passed|failed|tests?)|Tests?:|Ran \d+ tests?)\b/
const URL_ALONE = /^\s*(?:(?:GET|POST|PUT|PATCH|DELETE)\s+)?(?:https?:\/\/\S+|\/\S*)\s*$/
const PATH_OF_LISTING = /^\s*[\w.@+-]+(?:\/[\w.@+-]+)*\/?(?:\s+(?:#|\/\/|<-|←|-|—).*)?$/

const isFilled = (line: string): boolean => line.trim() !== ''

/** Whether a line is a command, perhaps with variables before it: `DEBUG=1 npm test`. */
function isCommand(line: string): boolean {
  const words = line.trim().split(/\s+/)
  const program = words.find(word => !/^[A-Z_]+=/.test(word)) ?? ''
  return PROMPT.test(line) || PROGRAMS.has(program) || /^\.\/\w/.test(program)
}

/** Whether lines are commands, with comments and lines that go on between them. */
const areCommands = (lines: readonly string[]): boolean =>
  lines.some(isCommand) && lines.every(line => isCommand(line) || /^(?:#|\s+\S)/.test(line))

const isListing = (lines: readonly string[]): boolean =>
  lines.every(line => PATH_OF_LISTING.test(line)) && lines.some(line => /\/|\.\w+(?:\s|$)/.test(line))

/** What the lines of a block without a language show by themselves; null where they may as well be of a file. */
export function shownBy(lines: readonly string[]): AsideReason | null {
  const filled = lines.filter(isFilled)
  if (filled.length === 1 && PLACEHOLDER.test((filled[0] ?? '').trim())) return 'example'
  if (filled.length === 0 || filled.some(line => TREE.test(line))) return 'listing'
  if (areCommands(filled)) return 'command'
  const isOutput = PROMPT.test(filled[0] ?? '') || filled.some(line => TRACE.test(line) || TEST_REPORT.test(line))
  return isOutput || filled.every(line => URL_ALONE.test(line)) ? 'output' : null
}

/** Why a block in a language of plain text or data is not for a file, by the words around it. */
function dataReason({ language, lines, above, heading }: Unnamed): AsideReason | null {
  if (!DATA.has(language)) return null
  if (OUTPUT.test(above)) return 'output'
  if (PLAIN.has(language) && isListing(lines.filter(isFilled))) return 'listing'
  return ABOUT_PROJECT.test(heading) ? 'example' : null
}

/**
 * Why a block without a name is not for a file: by its language, by what announces it, or by what it shows. Null where
 * nothing says so: then it may be an edit whose place nobody can tell. A line above that speaks of a change outweighs
 * all words for examples.
 */
export function asideReason(block: Unnamed): AsideReason | null {
  const { language, lines, above, heading } = block
  const byLanguage = BY_LANGUAGE.get(language)
  if (byLanguage !== undefined) return byLanguage
  const shown = PLAIN.has(language) ? shownBy(lines) : null
  if (shown !== null) return shown
  // A script has a name, which nobody gave.
  if (!PLAIN.has(language) && COMMANDS.has(language)) return lines[0]?.startsWith('#!') === true ? null : 'command'
  if (CHANGE.test(above)) return null
  if (EXAMPLE.test(above) || ABOUT_USE.test(heading)) return 'example'
  return dataReason(block)
}
