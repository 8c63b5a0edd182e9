import { isObject } from '../core/is-object.ts'
import { baseName } from '../core/path-names.ts'
import { simpleCommands, type ShellWord } from './shell-words.ts'

/** A program that runs tests. */
export type Runner =
  | 'pytest'
  | 'unittest'
  | 'jest'
  | 'vitest'
  | 'mocha'
  | 'node'
  | 'tap'
  | 'go'
  | 'cargo'
  | 'rspec'
  | 'phpunit'
  | 'maven'
  | 'gradle'

/** A command that runs tests, as far as it is understood. */
export interface TestCommand {
  runner: Runner
  /** Null where the runner stands in something that only a shell can take apart. */
  parts: CommandParts | null
}

interface CommandParts {
  /** What is run before the runner; ends with its separator. */
  before: string
  /** The words that start the runner. */
  start: string
  /** What follows them. */
  options: ShellWord[]
  /** What comes between the command and further options: `--` for npm. */
  append: string
}

/** Commands of package.json may call each other. */
const MAX_SCRIPTS = 3
const ASSIGNMENT = /^[A-Za-z_]\w*=/
/** Programs that run what follows them, with the words that belong to them. */
const WRAPPERS = [
  ['npx', '--no-install'],
  ['npx', '--yes'],
  ['npx', '-y'],
  ['npx'],
  ['bunx'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'exec'],
  ['poetry', 'run'],
  ['uv', 'run'],
  ['pipenv', 'run'],
  ['pdm', 'run'],
  ['hatch', 'run'],
  ['bundle', 'exec'],
  ['cross-env'],
  ['env'],
  ['time'],
  ['c8'],
  ['nyc'],
]
/** What starts each runner; the first word by its last part. */
const STARTS: ReadonlyArray<readonly [Runner, ...string[]]> = [
  ['pytest', 'pytest'],
  ['pytest', 'py.test'],
  ['jest', 'jest'],
  ['vitest', 'vitest', 'run'],
  ['vitest', 'vitest'],
  ['mocha', 'mocha'],
  ['tap', 'tap'],
  ['go', 'go', 'test'],
  ['cargo', 'cargo', 'test'],
  ['rspec', 'rspec'],
  ['phpunit', 'phpunit'],
  ['maven', 'mvn'],
  ['maven', 'mvnw'],
  ['gradle', 'gradle'],
  ['gradle', 'gradlew'],
]
const MODULES: ReadonlySet<string> = new Set(['pytest', 'unittest'])
/** Without a parsed command: runners whose names alone are certain. */
const MENTIONS: ReadonlyArray<readonly [Runner, RegExp]> = [
  ['pytest', /\b(?:pytest|py\.test)\b/],
  ['unittest', /-m unittest\b/],
  ['vitest', /\bvitest\b/],
  ['jest', /\bjest\b/],
  ['mocha', /\bmocha\b/],
  ['node', /\bnode\b.{0,200}\s--test\b/],
  ['go', /\bgo test\b/],
  ['cargo', /\bcargo test\b/],
  ['rspec', /\brspec\b/],
  ['phpunit', /\bphpunit\b/],
  ['maven', /\bmvnw?\b/],
  ['gradle', /\bgradlew?\b/],
]

/** Whether the words begin so; a program may be named by its path. */
function startsWith(words: readonly ShellWord[], [program, ...others]: readonly string[]): boolean {
  const [first, ...rest] = words
  return first !== undefined && baseName(first.text) === program && others.every((text, at) => rest[at]?.text === text)
}

/** How many words stand before the program itself: assignments and programs that run others. */
function prefixLength(words: readonly ShellWord[]): number {
  for (let at = 0; at < words.length;) {
    const rest = words.slice(at)
    const wrapper = WRAPPERS.find(wanted => startsWith(rest, wanted))
    if (wrapper !== undefined) at += wrapper.length
    else if (ASSIGNMENT.test(rest[0]?.text ?? '')) at++
    else return at
  }
  return words.length
}

/** The runner that these words start, and how many of them do. */
function runnerOf(words: readonly ShellWord[]): { runner: Runner; length: number } | null {
  const program = baseName(words[0]?.text ?? '')
  if (/^python(?:\d(?:\.\d+)?)?$/.test(program)) {
    const at = words.findIndex(({ text }) => text === '-m')
    const name = words[at + 1]?.text ?? ''
    return at > 0 && MODULES.has(name) ? { runner: name as 'pytest' | 'unittest', length: at + 2 } : null
  }
  if (program === 'node') return words.some(({ text }) => text === '--test') ? { runner: 'node', length: 1 } : null
  for (const [runner, ...wanted] of STARTS) {
    if (startsWith(words, wanted)) return { runner, length: wanted.length }
  }
  return null
}

/** The script of package.json that these words run. */
function scriptOf(words: readonly ShellWord[]): { name: string; append: string; rest: ShellWord[] } | null {
  const texts = words.map(({ text }) => text)
  const [manager = '', first = '', second = ''] = texts
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(manager)) return null
  const append = manager === 'npm' ? ' --' : ''
  if (first === 'run' || first === 'run-script') return { name: second, append, rest: words.slice(3) }
  const name = first === 't' && manager === 'npm' ? 'test' : first
  return manager === 'npm' && name !== 'test' ? null : { name, append, rest: words.slice(2) }
}

/** The scripts of a package.json; none where it cannot be read. */
export function scriptsIn(packageJson: string | null): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(packageJson ?? '')
    const scripts = isObject(value) && isObject(value.scripts) ? Object.entries(value.scripts) : []
    return new Map(scripts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return new Map()
  }
}

function mentioned(command: string): TestCommand | null {
  const [runner] = MENTIONS.find(([, pattern]) => pattern.test(command)) ?? []
  return runner === undefined ? null : { runner, parts: null }
}

/** As npm finds it: the programs of dependencies come first. */
const installed = (raw: string): string => (/^[\w-]+(?: run)?$/.test(raw) ? `./node_modules/.bin/${raw}` : raw)

/** Runners that are dependencies of a package of Node. */
const INSTALLED: ReadonlySet<Runner> = new Set(['jest', 'vitest', 'mocha', 'tap'])

/** The command of a script that is called with further words, as it can be given other ones. */
function calledAs(
  { runner, parts }: TestCommand,
  { append, rest }: NonNullable<ReturnType<typeof scriptOf>>,
  before: string,
): TestCommand {
  if (parts === null) return { runner, parts }
  const isSeparated = rest.some(({ text }) => text === '--')
  return {
    runner,
    parts: {
      before: before + parts.before,
      start: INSTALLED.has(runner) ? installed(parts.start) : parts.start,
      options: [...parts.options, ...rest.filter(({ text }) => text !== '--')],
      append: isSeparated ? '' : append,
    },
  }
}

function read(command: string, scripts: ReadonlyMap<string, string>, depth: number): TestCommand | null {
  const commands = simpleCommands(command)
  const last = commands?.at(-1)
  if (commands === null || last === undefined) return mentioned(command)
  const moves = commands.slice(0, -1).some(({ words }) => /^(?:cd|pushd|popd|exec|exit)$/.test(words[0]?.text ?? ''))
  const before = command.slice(0, last.start)
  const skipped = prefixLength(last.words)
  const words = last.words.slice(skipped)
  const script = scriptOf(words)
  const found = runnerOf(words)
  if (found === null && script !== null) {
    const text = scripts.get(script.name)
    const inner = text === undefined || depth === MAX_SCRIPTS ? null : read(text, scripts, depth + 1)
    if (inner === null) return null
    return moves ? { ...inner, parts: null } : calledAs(inner, script, before)
  }
  if (found === null) return mentioned(command)
  const length = skipped + found.length
  const start = last.words.slice(0, length).map(({ raw }) => raw)
  const parts = { before, start: start.join(' '), options: last.words.slice(length), append: '' }
  return { runner: found.runner, parts: moves ? null : parts }
}

/**
 * Which runner a command starts, and the parts of the command.
 *
 * @param scripts - Those of package.json, for `npm test`.
 * @returns Null where no known runner is named.
 */
export const readTestCommand = (command: string, scripts: ReadonlyMap<string, string>): TestCommand | null =>
  read(command, scripts, 0)
