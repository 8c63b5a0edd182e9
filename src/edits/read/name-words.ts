import { anyOf } from '../text/any-of.ts'

/** The words around names of files in replies, in the languages that models answer in. */

const LABEL_ADJECTIVES = [
  'the|new|updated?|modified|changed|final|complete|full|create[d]?|add(?:ed)?|modify|edit(?:ed)?|rewrite|write',
  'replace|save(?: as)?|новый|обновл[её]нный|измен[её]нный|полный|neue|aktualisierte|geänderte|vollständige',
  'nouveau|nuevo|novo|nowy|新|更新的?|修改',
].join('|')
const LABEL_NOUNS = [
  'file[ -]?name|file[ -]?path|file|path|filename|filepath|filnamn|datei(?:name|pfad)?|pfad|fichier|archivo|fichero',
  'ruta|nome do arquivo|arquivo|plik|soubor|bestand|dosya|fil|tệp|имя файла|путь(?: к файлу)?|файл|文件名称?|文件路径',
  '文件|档案|ファイル名|ファイル|파일(?:명)?|ملف',
].join('|')
const LABEL_VERBS = 'create|created|new|updated?|modified|modify|add|edit|step'

/** Words before a name, with or without a colon. */
export const FILE_WORD = new RegExp(`^(?:(?:${LABEL_ADJECTIVES})\\s*)*(?:${LABEL_NOUNS})(?:\\s*#?\\d{1,4})?$`, 'i')

/** Words before a colon and a name. */
export const LABEL = new RegExp(
  `^(?:(?:${LABEL_ADJECTIVES})\\s*)*(?:${LABEL_NOUNS}|${LABEL_VERBS})(?:\\s*#?\\d{1,4})?$`,
  'i',
)

/** A remark in brackets behind a name that announces all of the file. With any other, an excerpt may follow as well. */
export const WHOLE = anyOf(
  [
    /^\((?:[^()]*\b)?(?:new|created?|updated?|modified|changed|fixed|full|complete|final|revised|refactored|corrected)/,
    /^\((?:[^()]*\b)?(?:rewritten|unchanged structure|нов|обнов|измен|полн|исправл)/,
  ],
  'i',
)

/** Words of sentences that announce a command or what it prints, never a file. */
export const NOT_A_FILE = anyOf(
  [
    /\b(?:runs?|running|execut\w*|prints?|printed|outputs?|produces?|results?|returns?|errors?|fails?|failed)\b/,
    /\b(?:traceback|usage|invoke\w*|remove[sd]?|deleted?|should see|with the command|tested (?:with|by))\b/,
    /вывод|запус|выполн|удал|ошибк|результат/,
    /\b(?:ausgabe|führen?|ausführ|starte|fehler|lösche|sortie|exécut|lance[zr]|erreur|supprim|salida|ejecut|elimin)/,
    /\b(?:saída|execut)/,
    /运行|输出|执行|错误|报错|结果|删除|実行|出力|エラー|실행|출력/,
  ],
  'i',
)

/** Words of sentences that announce a part of a file, or an older version of it. */
export const PART = anyOf(
  [
    /\b(?:before|originals?|originally|previous(?:ly)?|old|currently|current|existing|was|were|had|excerpts?)\b/,
    /\b(?:snippets?|instead of|lines?|sections?|parts?|functions?|methods?|imports?|top of|bottom of|end of|inside)\b/,
    /\b(?:within|append|insert|add|adding|added|looks? like|similar to|such as|depends?|from|change|example)\b/,
    /добав|пример|было|раньше|строк|вмест|функци|замен|измените|сейчас|стоит|фрагмент|исправьте/,
    /\b(?:ersetz|füge|ändere|zeile|vorher|beispiel|stelle|ausschnitt|remplac|ajout|modifi|ligne|avant|exemple)/,
    /\b(?:reempla|añad|agreg|cambi|línea|antes|ejemplo|substitu|adicion|linha)/,
    /替换|添加|改为|改成|修改函数|函数|原来|之前|示例|片段|追加|置き換|変更前|추가/,
  ],
  'i',
)

/** "in `src/a.py`": a place, of which a part follows. */
export const PLACE = anyOf(
  [
    new RegExp(
      '(?:^|[\\s(])(?:in|to|into|at|of|в|во|к|en|dans|em|im|nel|w|ve)' +
        '(?: (?:файл[еу]?|der Datei|le fichier|el archivo|o arquivo|the file))? `[^`]+`',
    ),
    /在 ?`[^`]+` ?(?:文件)? ?[中里]/,
  ],
  'i',
)

/** Languages whose blocks are commands or what they print: files only under a line that is nothing but a name. */
export const COMMANDS: ReadonlySet<string> = new Set([
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
export const EXTENSIONS_OF: ReadonlyMap<string, ReadonlySet<string>> = new Map(
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

/** Extensions of files that blocks of commands, or of what they print, may be. */
const SCRIPTS = /(?:^|\/)[^./]+$|\.(?:sh|bash|zsh|fish|ksh|ps1|bat|cmd|txt|log|in|md|env|conf|cfg)$/i

/** Whether the language of a block allows for a name. One that nobody knows agrees with all. */
export function agreesWith(path: string, language: string): boolean {
  if (COMMANDS.has(language)) return SCRIPTS.test(path)
  const extensions = EXTENSIONS_OF.get(language)
  return extensions === undefined || extensions.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}
