import type { FileBlock } from '../edit.ts'
import { isPathLike } from './path-like.ts'
import { trimEndOf } from '../text/trim-end-of.ts'

export interface FileName {
  /** As the reply spells it; not past the gate yet. */
  path: string
  named: FileBlock['named']
}

const MAX_NAME_LINE = 600
const LABEL_ADJECTIVES =
  'the|new|updated?|modified|changed|final|complete|full|create[d]?|add(?:ed)?|modify|edit(?:ed)?|rewrite|write|replace|save(?: as)?|новый|обновл[её]нный|измен[её]нный|полный|neue|aktualisierte|geänderte|vollständige|nouveau|nuevo|novo|nowy|新|更新的?|修改'
const LABEL_NOUNS =
  'file[ -]?name|file[ -]?path|file|path|filename|filepath|filnamn|datei(?:name|pfad)?|pfad|fichier|archivo|fichero|ruta|nome do arquivo|arquivo|plik|soubor|bestand|dosya|fil|tệp|имя файла|путь(?: к файлу)?|файл|文件名称?|文件路径|文件|档案|ファイル名|ファイル|파일(?:명)?|ملف'
/** What stands before a name, alone or with a colon. */
const FILE_WORD = new RegExp(`^(?:(?:${LABEL_ADJECTIVES})\\s*)*(?:${LABEL_NOUNS})(?:\\s*#?\\d{1,4})?$`, 'i')
const LABEL = new RegExp(
  `^(?:(?:${LABEL_ADJECTIVES})\\s*)*(?:${LABEL_NOUNS}|create|created|new|updated?|modified|modify|add|edit|step)(?:\\s*#?\\d{1,4})?$`,
  'i',
)
/** In brackets behind a name: all of the file follows. Anything else there, an excerpt as well. */
const WHOLE =
  /^\((?:[^()]*\b)?(?:new|created?|updated?|modified|changed|fixed|full|complete|final|revised|refactored|corrected|rewritten|unchanged structure|нов|обнов|измен|полн|исправл)/i
/** A sentence with one of these announces a command or what it prints, never a file. */
const NOT_A_FILE =
  /\b(?:runs?|running|execut\w*|prints?|printed|outputs?|produces?|results?|returns?|errors?|fails?|failed|traceback|usage|invoke\w*|remove[sd]?|deleted?|should see|with the command|tested (?:with|by))\b|вывод|запус|выполн|удал|ошибк|результат|\b(?:ausgabe|führen?|ausführ|starte|fehler|lösche|sortie|exécut|lance[zr]|erreur|supprim|salida|ejecut|elimin|saída|execut)|运行|输出|执行|错误|报错|结果|删除|実行|出力|エラー|실행|출력/i
/** One with these announces a part of a file, or how it was. */
const PART =
  /\b(?:before|originals?|originally|previous(?:ly)?|old|currently|current|existing|was|were|had|excerpts?|snippets?|instead of|lines?|sections?|parts?|functions?|methods?|imports?|top of|bottom of|end of|inside|within|append|insert|add|adding|added|looks? like|similar to|such as|depends?|from|change|example)\b|добав|пример|было|раньше|строк|вмест|функци|замен|измените|сейчас|стоит|фрагмент|исправьте|\b(?:ersetz|füge|ändere|zeile|vorher|beispiel|stelle|ausschnitt|remplac|ajout|modifi|ligne|avant|exemple|reempla|añad|agreg|cambi|línea|antes|ejemplo|substitu|adicion|linha)|替换|添加|改为|改成|修改函数|函数|原来|之前|示例|片段|追加|置き換|変更前|추가/i
const PLACE =
  /(?:^|[\s(])(?:in|to|into|at|of|в|во|к|en|dans|em|im|nel|w|ve)(?: (?:файл[еу]?|der Datei|le fichier|el archivo|o arquivo|the file))? `[^`]+`|在 ?`[^`]+` ?(?:文件)? ?[中里]/i

/** Languages whose blocks are commands or what they print: files only under a line that is nothing but a name. */
const COMMANDS: ReadonlySet<string> = new Set([
  'bash',
  'sh',
  'shell',
  'zsh',
  'fish',
  'ksh',
  'console',
  'terminal',
  'cmd',
  'bat',
  'batch',
  'powershell',
  'pwsh',
  'ps1',
  'ps',
  'output',
  'stdout',
  'stderr',
  'log',
  'text',
  'txt',
  'plaintext',
  'plain',
  'shell-session',
  'shellsession',
  'sh-session',
  'bash-session',
  'tree',
  'none',
  'http',
  'traceback',
  'pytb',
  'pycon',
])
/** Extensions of languages that sentences are checked against; a language that is not here agrees with all. */
const EXTENSIONS_OF: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      ['python py', 'py pyi pyw'],
      ['javascript js', 'js mjs cjs jsx'],
      ['jsx', 'jsx js tsx'],
      ['typescript ts', 'ts mts cts tsx'],
      ['tsx', 'tsx ts'],
      ['json', 'json jsonc json5 webmanifest lock ipynb geojson babelrc eslintrc prettierrc'],
      ['yaml yml', 'yaml yml'],
      ['toml', 'toml lock'],
      ['html', 'html htm vue svelte ejs hbs j2 jinja2 tmpl njk'],
      ['css', 'css scss sass less'],
      ['sql', 'sql'],
      ['go', 'go'],
      ['rust', 'rs'],
      ['java', 'java'],
      ['kotlin', 'kt kts'],
      ['ruby', 'rb gemspec ru rake'],
      ['php', 'php phtml'],
      ['c', 'c h'],
      ['cpp', 'cpp cc cxx hpp h hh'],
      ['csharp', 'cs'],
      ['swift', 'swift'],
      ['markdown md', 'md mdx markdown'],
    ] as const
  ).flatMap(([languages, extensions]) =>
    languages.split(' ').map(language => [language, new Set<string>(extensions.split(' '))] as const),
  ),
)

/** The line without marks of headings and lists, arrows, rules and pictures; bold as backticks. */
function withoutDecoration(line: string): { text: string; isHeading: boolean } {
  let text = line.trim()
  if (text.startsWith('<!--') && text.endsWith('-->')) text = text.slice(4, -3).trim()
  let isHeading = false
  for (;;) {
    const mark =
      /^(?:#{1,6}(?=[^!])|[-*+•▸►→>](?=\s)|\(?\d{1,3}[.)](?=\s)|\/\/|={2,}>?|-{2,}>?(?=\s)|[\p{Extended_Pictographic}\uFE0F\u200D]+(?=\s*\D))\s*/u.exec(
        text,
      )?.[0]
    if (mark === undefined || mark === '' || mark.length === text.length) break
    if (mark.startsWith('#')) isHeading = true
    text = text.slice(mark.length)
  }
  text = text.replace(/^\[(?:new|add(?:ed)?|created?|update[d]?|modif(?:y|ied)|edit(?:ed)?)\]\s*/i, '')
  while (/[\s#=\p{Extended_Pictographic}\uFE0F]$/u.test(text)) text = text.replace(/.$/u, '')
  for (const rule of [' ---', ' --', ' <']) if (text.endsWith(rule)) text = text.slice(0, -rule.length).trimEnd()
  const bold = /^\*\*([^*]+)\*\*:?$/.exec(text)?.[1]
  if (bold?.includes('(') === true) text = bold
  if (text.startsWith('[') && text.endsWith(')') && text.includes('](')) text = text.slice(1, text.indexOf(']('))
  if (!text.includes('`') && text.includes('**')) text = text.replaceAll('**', '`')
  text = text.replaceAll('**', '').replace(/`{2,}/g, '`')
  if (text.startsWith('__') && text.endsWith('__') && text.length > 4 && /[./]/.test(text)) text = text.slice(2, -2)
  if (text.startsWith('*') && text.endsWith('*')) text = text.slice(1, -1)
  if (/^_[^_].*\.\w+_$/.test(text)) text = text.slice(1, -1)
  return { text: text.trim(), isHeading }
}

/** Without brackets around all of it: `[src/a.py]`, but not those of `[slug].ts`. */
function unbracketed(name: string): string {
  const inner = /^(?:\[([^[\]]+)\]|\(([^()]+)\)|\{([^{}]+)\})$/.exec(name)
  const bare = inner?.[1] ?? inner?.[2] ?? inner?.[3]
  return bare !== undefined && isPathLike(bare, 'strict') ? bare : name
}

/** A name with blanks needs an extension that is known. */
const isNameWithBlanks = (name: string): boolean =>
  /\s/.test(name)
    ? !/[:：]/.test(name) &&
      /\.\w+$/.test(name) &&
      isPathLike(name.replaceAll(' ', '_'), 'strict') &&
      !/^(?:python3?|node|npm|npx|bash|sh|go|cargo|make|pip|cd|cat|git|docker|curl|java|ruby|php|deno|bun|yarn|pnpm|run|\.\/)/i.test(
        name,
      )
    : isPathLike(name, 'lenient')

const END = ' \t:：,;.'

const trimEnd = (text: string): string => trimEndOf(text, END)

/** Without one pair of quotes around it. */
function stripPairs(text: string): string {
  for (const [open, close] of [
    ['`', '`'],
    ['"', '"'],
    ["'", "'"],
    ['“', '”'],
    ['«', '»'],
    ['‘', '’'],
    ['<', '>'],
  ] as const) {
    if (text.length > 2 && text.startsWith(open) && text.endsWith(close) && !text.slice(1, -1).includes(open)) {
      return text.slice(1, -1).trim()
    }
  }
  return text
}

/** A line that is nothing but a name, quoted or not. */
function wholeName(text: string, isHeading: boolean): string | null {
  const bare = trimEnd(text)
  const inner = stripPairs(bare)
  const link = /^\[([^\]]+)\]\([^)]*\)$/.exec(inner)?.[1]
  const plain = stripPairs(link ?? trimEnd(inner))
    .replace(/^\d{1,3}[.)]\s+/, '')
    .replace(/(?<=\S)\s+file$/i, '')
  const name = unbracketed(stripPairs(plain))
  const isPlain = inner === bare || plain.endsWith('file')
  if (!/\s/.test(name)) {
    return isPathLike(name, (isHeading && inner === bare) || (text.endsWith(':') && isPlain) ? 'strict' : 'lenient')
      ? name
      : null
  }
  return inner !== bare && isNameWithBlanks(name) ? name : null
}

function quotedIn(text: string): string[] {
  return [
    ...text.matchAll(/`([^`]+)`|\(([^()\s`]+)\)|"([^"]+)"|“([^“”]+)”|«([^«»]+)»|(?<![\p{L}\p{N}])'([^']+)'/gu),
  ].map(match => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[5] ?? match[6] ?? '').trim())
}

/** Without brackets at the end. */
function withoutRemark(text: string): string {
  const open = text.lastIndexOf(' (')
  return open > 0 && text.endsWith(')') ? text.slice(0, open) : text
}

/** `File: x`, and what follows is a name even with blanks in it. */
function labelledName(text: string): string | null {
  const colon = /[:：]/.exec(text)
  if (colon === null || colon.index > 60) return null
  const label = text
    .slice(0, colon.index)
    .replace(/[`"'*_]/g, '')
    .trim()
  if (!LABEL.test(label)) return null
  const rest = text
    .slice(colon.index + 1)
    .replace(/^[`"'*_\s]+(?=[`"']\S|\s)/, '')
    .trim()
  const quoted = rest.split('`').length === 2 ? [] : quotedIn(rest)
  if (quoted.length > 0) {
    return quoted.length === 1 &&
      trimEnd(rest.replace(/`[^`]*`|"[^"]*"|'[^']*'/, ''))
        .trim()
        .split(/\s+/).length <= 4 &&
      isNameWithBlanks(quoted[0] ?? '') &&
      !NOT_A_FILE.test(rest.replace(quoted[0] ?? '', ''))
      ? (quoted[0] ?? null)
      : null
  }
  const bare = stripPairs(
    trimEnd(withoutRemark(rest.endsWith('`') && !rest.startsWith('`') ? rest.slice(0, -1) : rest)),
  )
  if (!/\s/.test(bare)) return isPathLike(bare, 'lenient') ? bare : null
  return isNameWithBlanks(bare) && /^step/i.test(label) === false && bare.split(/\s+/).length <= 5 ? bare : null
}

/** `File src/a.py:`, without a colon between. */
function nameAfterWord(text: string): string | null {
  const cut = /^(.{1,40}?)\s+(\S+)$/.exec(trimEnd(text))
  if (cut === null || !FILE_WORD.test(cut[1] ?? '')) return null
  const name = stripPairs(cut[2] ?? '')
  return isPathLike(name, 'strict') ? name : null
}

/** `src/a.py (new file)`, `` `src/a.py` – updated ``: a name, then a remark in brackets that all of it follows. */
function annotatedName(text: string): string | null {
  const cut = /^(\S+)\s+(\([^()]*\))$/.exec(trimEnd(text))
  const name = stripPairs(trimEnd(cut?.[1] ?? ''))
  return cut !== null && isPathLike(name, 'strict') && WHOLE.test(cut[2] ?? '') ? name : null
}

/** The one quoted name of a sentence that may announce a file. */
function nameInSentence(text: string, language: string): FileName | null {
  const names = new Set(quotedIn(text).filter(token => !/\s/.test(token) && isPathLike(token, 'strict')))
  const [path] = names
  if (path === undefined || names.size > 1) return null
  const around = text.replaceAll(path, '')
  if (NOT_A_FILE.test(around)) return null
  const name: FileName = { path, named: PART.test(around) || PLACE.test(text) ? 'part' : 'sentence' }
  if (language === '') return trimEndOf(text, `${END}\`"'”»)`).endsWith(path) ? name : null
  const extensions = EXTENSIONS_OF.get(language)
  return extensions === undefined || extensions.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ? name : null
}

/**
 * The name that a line above a fence gives it. One path-like token is a name; among several words only one that is
 * quoted, or follows a label, is.
 *
 * @param language - Of the fence, lower case; '' for none.
 */
export function nameFromLine(line: string, language: string): FileName | null {
  if (line.length > MAX_NAME_LINE) return null
  const { text, isHeading } = withoutDecoration(line)
  if (text === '') return null
  const only = wholeName(text, isHeading)
  if (only !== null) return { path: only, named: 'line' }
  const labelled = labelledName(text) ?? nameAfterWord(text)
  if (labelled !== null) return { path: labelled, named: 'line' }
  const annotated = annotatedName(text)
  if (annotated !== null) return COMMANDS.has(language) ? null : { path: annotated, named: 'line' }
  return COMMANDS.has(language) ? null : nameInSentence(text, language)
}

/** The name that a fence's info string gives: `python src/a.py`, `js title="a.js"`, `ts:src/a.ts`, `src/a.py`. */
export function nameFromInfo(info: string): FileName | null {
  if (info === '' || info.length > MAX_NAME_LINE || /^\d+:\d+:/.test(info)) return null // numbers of lines: an excerpt
  const keyed =
    /(?:^|[\s{,:])(?:file_?name|file_?path|file|path|title|name|src)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s"'{},]+))/i.exec(
      info,
    )
  const value = keyed?.[1] ?? keyed?.[2] ?? keyed?.[3]
  if (value !== undefined) {
    return isPathLike(value, 'lenient') || /\.\w+$/.test(value) ? { path: value, named: 'line' } : null
  }
  const tokens = info
    .split(/\s+/)
    .filter(token => token !== '//' && token !== '#')
    .map(token => unbracketed(stripPairs(token)))
  const [first = '', second = ''] = tokens
  const colon = first.indexOf(':')
  if (colon > 0 && !/^[A-Za-z]:\\/.test(first) && isPathLike(first.slice(colon + 1), 'strict')) {
    return { path: first.slice(colon + 1), named: 'line' }
  }
  if (tokens.length === 1) {
    return isPathLike(first, 'strict') && /[./]/.test(first) ? { path: first, named: 'line' } : null
  }
  return tokens.length === 2 && isPathLike(second, 'strict') ? { path: second, named: 'line' } : null
}
