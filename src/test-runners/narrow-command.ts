import { baseName, folderOf } from '../core/path-names.ts'
import type { NamedTest } from './named-test.ts'
import { quoteWord, type ShellWord } from './shell-words.ts'
import type { Runner, TestCommand } from './test-command.ts'

/** Options whose value is the next word, and which stay: they say how tests are loaded. */
const VALUED: ReadonlySet<string> = new Set([
  ...['--import', '--require', '-r', '--loader', '--experimental-loader', '--conditions', '-C'],
  ...['-c', '--config', '--project', '-p', '-o', '--rootdir', '--import-mode', '-W', '--ui', '-u', '--extension'],
  ...['--manifest-path', '--features', '--package', '-f', '-tags', '--bootstrap', '--configuration', '-I'],
  ...['-n', '--tb', '--dist', '--maxfail', '--durations', '--timeout', '--color', '--cov-report', '--cov-config'],
  ...[
    '-timeout',
    '-p',
    '-parallel',
    '-cpu',
    '-tags',
    '-ldflags',
    '-gcflags',
    '-mod',
    '-vet',
    '-count',
    '-coverprofile',
  ],
  ...['--maxWorkers', '--testTimeout', '--pool', '--environment', '--root', '--dir', '--mode', '--preset', '--env'],
  ...['--slow', '--retries', '--jobs', '-j', '--target', '--profile', '--exclude', '--order', '--seed', '--require'],
  ...['--test-timeout', '--test-concurrency', '--env-file'],
])
/** Options that choose tests or reports themselves, by whether the next word belongs to them. */
const DROPPED: ReadonlyMap<string, boolean> = new Map([
  ...['-k', '-m', '-t', '--testNamePattern', '--grep', '-g', '--fgrep', '--reporter', '-R'].map(
    name => [name, true] as const,
  ),
  ...['--test-reporter', '--test-reporter-destination', '-run', '--filter', '--outputFile', '--reporters'].map(
    name => [name, true] as const,
  ),
  ...['--reporter-option', '--reporter-options', '-O', '--outputFile.junit', '--outputFile.json', '--out'].map(
    name => [name, true] as const,
  ),
  ...['--log-junit', '--testsuite', '--group', '--exclude-group', '--format', '--tag', '--example', '-e', '--spec'].map(
    name => [name, true] as const,
  ),
  ...['--coverage', '--watch', '--json', '--watchAll', '-w', '--ci'].map(name => [name, false] as const),
])
/** Runners of modules: their positions are goals and tasks, which stay. */
const KEEPS_WORDS: ReadonlySet<Runner> = new Set(['maven', 'gradle'])

/** The options of a command without what chooses its tests. */
function keptOptions(options: readonly ShellWord[], runner: Runner): string[] {
  if (KEEPS_WORDS.has(runner)) return options.map(({ raw }) => raw)
  const kept: string[] = []
  for (let at = 0; at < options.length; at++) {
    const { text, raw } = options[at] ?? { text: '', raw: '' }
    if (text === '--') break
    const [name = ''] = text.split('=')
    const takesNext = DROPPED.get(name)
    if (takesNext !== undefined) at += takesNext && !text.includes('=') ? 1 : 0
    else if (text.startsWith('-')) {
      kept.push(raw)
      const value = VALUED.has(text) ? options[++at] : undefined
      if (value !== undefined) kept.push(value.raw)
    }
  }
  return kept
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
/** A pattern that fits the name alone. */
const exactly = (names: readonly string[]): string => `^${escaped(names.join(' '))}$`
/** A path that no option can be mistaken for. */
const place = (path: string): string => (path.startsWith('-') ? `./${path}` : path)

const className = (path: string): string => baseName(path).replace(/\.\w+$/, '')

/** Options for a test that is named; none where the file alone is known. */
const naming = (names: readonly string[], options: (name: string) => string[]): string[] =>
  names.slice(-1).flatMap(options)

/** The package of a file; all of them where it is not known. */
function goPackages(file: string): string {
  if (file === '') return './...'
  return folderOf(file) === '' ? '.' : `./${folderOf(file)}`
}

type Words = (test: NamedTest) => string[] | null

/** What follows the options, for each runner; null where it cannot run so little. */
const WORDS: Readonly<Record<Runner, Words>> = {
  pytest: ({ file, names }) => [[place(file), ...names].join('::')],
  unittest: ({ file, names }) =>
    names.length === 0 ? [place(file)] : [[...file.replace(/\.py$/, '').split('/'), ...names].join('.')],
  jest: ({ file, names }) => [...naming(names, () => ['-t', exactly(names)]), '--runTestsByPath', place(file)],
  vitest: ({ file, names }) => [place(file), ...naming(names, () => ['-t', exactly(names)])],
  mocha: ({ file, names }) => [...naming(names, () => ['--grep', escaped(names.join(' '))]), place(file)],
  node: ({ file, names }) => [...naming(names, name => [`--test-name-pattern=${escaped(name)}`]), place(file)],
  tap: ({ file }) => [place(file)],
  go: ({ file, names }) => [...naming(names.slice(0, 1), name => ['-run', `^${name}$`]), '-count=1', goPackages(file)],
  cargo: ({ names }) => (names.length === 0 ? null : ['--', '--exact', names.join('::')]),
  rspec: ({ file, line }) => [line === null ? place(file) : `${place(file)}:${line}`],
  phpunit: ({ file, names }) => [...naming(names, name => ['--filter', `::${name}$`]), place(file)],
  maven: ({ file, names }) => [
    `-Dtest=${[className(file), ...names.slice(-1)].join('#')}`,
    '-Dsurefire.failIfNoSpecifiedTests=false',
  ],
  gradle: ({ file, names }) => ['--tests', `*${[className(file), ...names.slice(-1)].join('.')}`],
}

/** The same runner for the tests of the trace alone; null where it cannot be told how. */
export function narrowCommand({ runner, parts }: TestCommand, test: NamedTest): string | null {
  if (parts === null) return null
  const words = WORDS[runner](test)
  if (words === null) return null
  return `${parts.before}${[parts.start, ...keptOptions(parts.options, runner), ...words.map(quoteWord)].join(' ')}`
}
