import { allCommands, type CommandNode, type OptionNode } from './command-tree.ts'

/** A text that roff prints as it is: its own signs are escaped, and what is not ASCII is named by its number. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/[^\n -~]/gu, char => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
    .replaceAll(/^(?=[.'])/gm, '\\&')

/** Lines that are kept as they are. */
const block = (text: string): string[] => ['.PP', '.nf', escaped(text), '.fi']

/** Paragraphs are filled, what is indented keeps its lines. */
function notes(text: string): string[] {
  if (text === '') return []
  return text.split(/\n{2,}/).flatMap(part => (/^ {2}/m.test(part) ? block(part) : ['.PP', escaped(part)]))
}

const option = ({ flags, description, value }: OptionNode): string[] => [
  '.TP',
  `\\fB${escaped(flags)}\\fR`,
  escaped(value?.kind === 'words' ? `${description} (${value.words.join(', ')})` : description),
]

function section({ path, usage, description, options, notes: text }: CommandNode): string[] {
  return [
    `.SS ${escaped(path)}`,
    `\\fBfaultline ${escaped(usage)}\\fR`,
    '.PP',
    escaped(description),
    ...options.flatMap(option),
    ...notes(text),
  ]
}

const ENVIRONMENT = [
  ['FAULTLINE_SERVER', 'the server that commands work with; --server wins'],
  ['FAULTLINE_API_KEY', 'the key for it, and for a server that holds the data folders'],
  ['DATA_DIR, LLM_BASE_URL, …', 'every setting of the services; .env.example in the package lists them'],
  ['PAGER', 'the program for long texts on a terminal'],
  ['NO_COLOR', 'no colours'],
] as const

const FILES = [
  ['~/.config/faultline/.env', 'variables of this user ($XDG_CONFIG_HOME)'],
  ['./.env', 'of the current folder: times alone, unless TRUSTED_FOLDERS names the folder'],
  ['~/.local/share/faultline', 'data, where the package is installed ($XDG_DATA_HOME)'],
] as const

const pairs = (rows: ReadonlyArray<readonly [string, string]>): string[] =>
  rows.flatMap(([name, text]) => ['.TP', `\\fB${escaped(name)}\\fR`, escaped(text)])

/**
 * The manual page of the program, in roff.
 *
 * @param exitCodes - As the help prints them.
 */
export function manualPage(
  program: CommandNode,
  { version, exitCodes }: { version: string; exitCodes: string },
): string {
  const [, ...commands] = allCommands(program)
  const text = program.notes.replace(exitCodes.trim(), '').trim()
  return [
    `.TH FAULTLINE 1 "" "faultline ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    'faultline \\- from a stack trace to the code behind it',
    '.SH SYNOPSIS',
    `\\fBfaultline\\fR ${escaped(program.usage)}`,
    '.SH DESCRIPTION',
    escaped(program.description),
    ...notes(text),
    '.SH OPTIONS',
    'Every command takes these.',
    ...program.options.flatMap(option),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH EXIT STATUS',
    ...block(exitCodes.replace(/^\s*Exit codes:\n/, '')),
    '.SH ENVIRONMENT',
    'The environment wins over the files below, of which the first wins over those after it.',
    ...pairs(ENVIRONMENT),
    '.SH FILES',
    ...pairs(FILES),
    '',
  ].join('\n')
}
