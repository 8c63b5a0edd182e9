import type { EventEmitter } from 'node:events'
import type { Argument, Command, Option } from 'commander'

/** What a value can be, so that a shell can offer some. */
export type ValueKind =
  { kind: 'words'; words: readonly string[] } | { kind: 'file' | 'folder' | 'project' | 'job' | 'other' }

/** An option of a command. */
export interface OptionNode {
  /** As help shows it: `-q, --quiet`, `--limit <n>`. */
  flags: string
  /** With their hyphens. */
  names: string[]
  description: string
  /** Null for an option that is only there or not. */
  value: ValueKind | null
}

/** A command of the program, or the program itself. */
export interface CommandNode {
  /** The words after the program's name. */
  path: string
  /** As help shows it, without the program's name: `jobs show [options] <id>`. */
  usage: string
  description: string
  /** What help says below the options. */
  notes: string
  options: OptionNode[]
  arguments: ValueKind[]
  commands: CommandNode[]
}

const FILES: ReadonlySet<string> = new Set(['file', 'path', 'paths', 'trace', 'url'])
const BY_OPTION: ReadonlyMap<string, ValueKind> = new Map([
  ['--project', { kind: 'project' }],
  ['--job', { kind: 'job' }],
  // paths within a repository or a program, which are not those of this machine
  ['--actual-path', { kind: 'other' }],
  ['--entrypoint', { kind: 'other' }],
])

function kindOf(placeholder: string): ValueKind {
  if (placeholder === 'folder') return { kind: 'folder' }
  return { kind: FILES.has(placeholder) ? 'file' : 'other' }
}

const BY_ARGUMENT: ReadonlyMap<string, ValueKind> = new Map([
  ['jobs id', { kind: 'job' }],
  ['projects name', { kind: 'project' }],
])

const placeholderOf = (flags: string): string => /[<[]([\w-]+)/.exec(flags)?.[1] ?? ''

function optionValue({ flags, long, argChoices, required, optional }: Option): ValueKind | null {
  if (!required && !optional) return null
  if (argChoices !== undefined) return { kind: 'words', words: argChoices }
  const known = BY_OPTION.get(long ?? '')
  return known ?? kindOf(placeholderOf(flags))
}

function argumentValue(argument: Argument, parent: string): ValueKind {
  if (argument.argChoices !== undefined) return { kind: 'words', words: argument.argChoices }
  const name = argument.name()
  const usual: ValueKind = parent === '' ? kindOf(name) : { kind: 'other' }
  return BY_ARGUMENT.get(`${parent} ${name}`) ?? usual
}

const toOption = (option: Option): OptionNode => ({
  flags: option.flags,
  names: [option.short, option.long].filter(name => name != null),
  description: option.description,
  value: optionValue(option),
})

/** What `addHelpText('after', …)` was given. */
function notesOf(command: Command): string {
  const notes: string[] = []
  const emitter = command as unknown as EventEmitter // which its types do not say
  emitter.emit('afterHelp', { error: false, command, write: (text: string) => notes.push(text) })
  return notes.join('').trim()
}

/** The commands below one, as its help has them: what completes words in a shell and the manual are made of it. */
export function describeCommand(command: Command, parents: readonly string[] = []): CommandNode {
  const own = command.parent === null ? [] : [...parents, command.name()]
  const help = command.createHelp()
  return {
    path: own.join(' '),
    usage: [...own, command.usage()].join(' '),
    description: command.description(),
    notes: notesOf(command),
    options: help.visibleOptions(command).map(toOption),
    arguments: command.registeredArguments.map(argument => argumentValue(argument, parents.join(' '))),
    commands: command.commands.map(one => describeCommand(one, own)),
  }
}

/** A command and all below it, each after the one that it belongs to. */
export const allCommands = (node: CommandNode): CommandNode[] => [node, ...node.commands.flatMap(allCommands)]
