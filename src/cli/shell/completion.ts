import { allCommands, type CommandNode, type OptionNode, type ValueKind } from './command-tree.ts'

/** The shells that scripts are made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
/** One of them. */
export type Shell = (typeof SHELLS)[number]

/** A text between single quotes, as bash and zsh read it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** The same as fish reads it, which knows two escapes there. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** A description on one line; what follows the first clause is for the help. */
const short = (text: string): string => (text.split(/[;:]/, 1)[0] ?? '').replaceAll(/\s+/g, ' ').trim()

/** The word that stands for a kind of value in the scripts. */
const kindWord = (value: ValueKind): string => (value.kind === 'words' ? value.words.join(' ') : `@${value.kind}`)

interface Tables {
  commands: CommandNode[]
  /** The options of the program, which every command takes. */
  everywhere: OptionNode[]
  /** Options after which a value comes, whatever the command. */
  valueNames: string[]
}

function tablesOf(program: CommandNode): Tables {
  const commands = allCommands(program)
  const options = commands.flatMap(command => command.options).filter(({ value }) => value !== null)
  return { commands, everywhere: program.options, valueNames: [...new Set(options.flatMap(({ names }) => names))] }
}

/** Options of a command with those of the program, each once. */
function optionsOf({ options }: CommandNode, everywhere: readonly OptionNode[]): OptionNode[] {
  const own = new Set(options.flatMap(({ names }) => names))
  return [...options, ...everywhere.filter(({ names }) => !names.some(name => own.has(name)))]
}

const caseOf = (pattern: string, body: string): string => `    ${pattern}) ${body} ;;`

/** What a command prints, reduced to what is a name: nothing else gets through to the shell. */
const namesOf = (command: string, field: string, letters: string): string =>
  `command faultline ${command} --json 2>/dev/null | sed -n 's/^ \\{6\\}"${field}": "\\([${letters}]*\\)".*/\\1/p'`

const NAMES = `_faultline_names() {
  case $1 in
    project) ${namesOf('projects', 'project_name', 'A-Za-z0-9._-')} ;;
    job) ${namesOf('jobs', 'id', 'A-Za-z0-9-')} ;;
  esac
}`

/** What a value may be, by command and option or by the place of an argument: the same for bash and zsh. */
function valueCases({ commands, everywhere }: Tables): string[] {
  const ofOptions = commands.flatMap(command =>
    optionsOf(command, everywhere).flatMap(({ names, value }) =>
      value === null
        ? []
        : [caseOf(names.map(name => quoted(`${command.path} ${name}`)).join('|'), `kind=${quoted(kindWord(value))}`)],
    ),
  )
  const ofArguments = commands.flatMap(command =>
    command.arguments.map((value, at) => caseOf(quoted(`${command.path} #${at}`), `kind=${quoted(kindWord(value))}`)),
  )
  return [...ofOptions, ...ofArguments]
}

const subcommandCase = ({ path }: CommandNode): string => quoted(path)

/**
 * Walks over the words before the cursor: to the command that they name, and how many arguments it has got. Written in
 * what bash and zsh have in common.
 */
const walk = ({ commands, valueNames }: Tables, words: string): string => `  local at='' count=0 skip='' word next
  for word in ${words}; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      ${valueNames.join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    next="\${at:+$at }$word"
    case $next in
      ${commands.flatMap(({ path }) => (path === '' ? [] : [quoted(path)])).join('|')}) at=$next; count=0 ;;
      *) count=$((count + 1)) ;;
    esac
  done`

function bash(tables: Tables): string {
  const { commands, everywhere } = tables
  const optionCases = commands.map(command =>
    caseOf(
      subcommandCase(command),
      `words=${quoted(
        optionsOf(command, everywhere)
          .flatMap(({ names }) => names)
          .join(' '),
      )}`,
    ),
  )
  const commandCases = commands
    .filter(command => command.commands.length > 0)
    .map(command =>
      caseOf(
        subcommandCase(command),
        `words=${quoted(command.commands.map(({ path }) => path.split(' ').at(-1)).join(' '))}`,
      ),
    )
  return `# Completes the words of faultline in bash: source <(faultline completion bash)
${NAMES}

_faultline() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} kind='' words=''
${walk(tables, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  if [[ -n $skip ]]; then
    next="$at $prev"
  elif [[ $cur == -* ]]; then
    case $at in
${optionCases.join('\n')}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  else
    next="$at #$count"
    if [[ $count == 0 ]]; then
      case $at in
${commandCases.join('\n')}
      esac
    fi
  fi
  case $next in
${valueCases(tables).join('\n')}
  esac
  case $kind in
    @file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    @folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    @project|@job) words="$words $(_faultline_names "\${kind#@}")" ;;
    @*) ;;
    *) words="$words $kind" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _faultline faultline
`
}

/** \`name:description\` for zsh's _describe, whose names keep their colons by a backslash. */
const described = (name: string, text: string): string => quoted(`${name.replaceAll(':', '\\:')}:${short(text)}`)

function zsh(tables: Tables): string {
  const { commands, everywhere } = tables
  const optionCases = commands.map(command => {
    const shown = optionsOf(command, everywhere).flatMap(({ names, description }) =>
      names.map(name => described(name, description)),
    )
    return caseOf(subcommandCase(command), `shown=(${shown.join(' ')})`)
  })
  const commandCases = commands
    .filter(command => command.commands.length > 0)
    .map(command => {
      const shown = command.commands.map(({ path, description }) =>
        described(path.split(' ').at(-1) ?? '', description),
      )
      return caseOf(subcommandCase(command), `shown=(${shown.join(' ')})`)
    })
  return `#compdef faultline
# Completes the words of faultline in zsh: source <(faultline completion zsh), or as _faultline in a folder of $fpath
${NAMES}

_faultline() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} kind=''
  local -a shown
${walk(tables, `"\${(@)words[2,CURRENT-1]}"`)}
  if [[ -n $skip ]]; then
    next="$at $prev"
  elif [[ $cur == -* ]]; then
    case $at in
${optionCases.join('\n')}
    esac
    _describe -o option shown
    return
  else
    next="$at #$count"
    if [[ $count == 0 ]]; then
      case $at in
${commandCases.join('\n')}
      esac
      (( \${#shown} )) && _describe command shown
    fi
  fi
  case $next in
${valueCases(tables).join('\n')}
  esac
  case $kind in
    '') ;;
    @file) _files ;;
    @folder) _files -/ ;;
    @project|@job) compadd -- \${(f)"$(_faultline_names "\${kind#@}")"} ;;
    @*) ;;
    *) compadd -- \${=kind} ;;
  esac
}

if [[ \${funcstack[1]} == _faultline ]]; then _faultline "$@"; else compdef _faultline faultline; fi
`
}

/** What follows an option in fish: nothing, a file, or one of some words. */
function fishValue(value: ValueKind | null): string {
  if (value === null) return ''
  if (value.kind === 'words') return ` -x -a ${fishQuoted(value.words.join(' '))}`
  if (value.kind === 'file') return ' -r -F'
  if (value.kind === 'folder') return " -x -a '(__fish_complete_directories)'"
  return value.kind === 'other' ? ' -x' : ` -x -a '(__faultline_names ${value.kind})'`
}

function fishOption(path: string, { names, description, value }: OptionNode): string {
  const flags = names.map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ')
  const where = path === '' ? '' : ` -n ${fishQuoted(`__faultline_at ${fishQuoted(path)}`)}`
  return `complete -c faultline${where} ${flags}${fishValue(value)} -d ${fishQuoted(short(description))}`
}

function fishArguments({ path, arguments: values }: CommandNode): string[] {
  return values.flatMap((value, at) => {
    const where = `-n ${fishQuoted(`__faultline_at ${fishQuoted(path)} ${at}`)}`
    if (value.kind === 'other') return []
    if (value.kind === 'file') return [`complete -c faultline ${where} -F`]
    return [`complete -c faultline ${where}${fishValue(value).replace(' -x', '')}`]
  })
}

function fish({ commands, everywhere, valueNames }: Tables): string {
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [fishQuoted(path)]))
  const words = commands.flatMap(command =>
    command.commands.map(
      ({ path, description }) =>
        `complete -c faultline -n ${fishQuoted(`__faultline_at ${fishQuoted(command.path)} 0`)} ` +
        `-a ${path.split(' ').at(-1) ?? ''} -d ${fishQuoted(short(description))}`,
    ),
  )
  const options = commands.flatMap(({ path, options: own }) =>
    path === '' ? [] : own.map(option => fishOption(path, option)),
  )
  return `# Completes the words of faultline in fish: faultline completion fish | source
function __faultline_names
  switch $argv[1]
    case project
      command faultline projects --json 2>/dev/null | string match -rg '^ {6}"project_name": "([A-Za-z0-9._-]*)"'
    case job
      command faultline jobs --json 2>/dev/null | string match -rg '^ {6}"id": "([A-Za-z0-9-]*)"'
  end
end

# Whether the words before the cursor lead to this command, and, with a number, to so many arguments of it.
function __faultline_at
  set -l at ''
  set -l count 0
  set -l skip ''
  for word in (commandline -opc)[2..-1]
    if test -n "$skip"
      set skip ''
      continue
    end
    if contains -- $word ${valueNames.join(' ')}
      set skip 1
      continue
    end
    string match -q -- '-*' $word; and continue
    set -l next (string trim -- "$at $word")
    if contains -- $next ${paths.join(' ')}
      set at $next
      set count 0
    else
      set count (math $count + 1)
    end
  end
  test "$at" = "$argv[1]"; and begin
    test (count $argv) -lt 2; or test $count -eq $argv[2]
  end
end

complete -c faultline -e
complete -c faultline -f
${words.join('\n')}
${everywhere.map(option => fishOption('', option)).join('\n')}
${options.join('\n')}
${commands.flatMap(fishArguments).join('\n')}
`
}

const SCRIPTS: Record<Shell, (tables: Tables) => string> = { bash, zsh, fish }

/** The script that completes commands, options and values in a shell. */
export const completionScript = (shell: Shell, program: CommandNode): string => SCRIPTS[shell](tablesOf(program))
