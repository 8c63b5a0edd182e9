import { parse, TomlError } from 'smol-toml'
import { FaultlineError } from '../../core/errors.ts'
import { isObject } from '../../core/is-object.ts'
import { safePath } from '../../core/safe-path.ts'

/** What gpt-engineer's file selection says. */
interface TomlSelection {
  /** In the order of the file. */
  paths: string[]
  linting: 'on' | 'off' | null
}

/** The tables' own; smol-toml makes them without a prototype. */
type Table = Record<string, unknown>

const invalid = (problem: string, line: number): FaultlineError =>
  new FaultlineError(
    'VALIDATION_FAILED',
    `select_toml, line ${line}: ${problem.slice(0, 300)}.`,
    'Send [files] with "a/b.py" = "selected" for each file, ' +
      'and [linting] with "linting" = "off" where no linter is to run.',
  )

function parsed(text: string): Table {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw invalid((error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, ''), error.line)
  }
}

const isTable = (value: unknown): value is Table => isObject(value) && Object.getPrototypeOf(value) === null

const named = (keys: readonly string[]): string =>
  keys.length === 1 ? `[${keys[0]}]` : JSON.stringify(keys.slice(1).join('/'))

/** The line that names the last of these keys, as far as can be told: the parser does not say. */
function lineOf(text: string, [table = '', ...keys]: readonly string[]): number {
  const lines = text.split('\n').map(line => line.trim())
  const naming = (key: string, from: number): number =>
    lines.findIndex((line, i) => i >= from && !line.startsWith('#') && line.includes(key))
  /** A key stands below its table's header, or in the same line. */
  const below = (key: string, header: number): number =>
    [naming(key, header + 1), naming(key, header)].find(line => line >= 0) ?? header
  const header = Math.max(0, naming(table, 0))
  const whole = keys.join('/')
  if (keys.length === 0 || naming(whole, header) >= 0) return 1 + (keys.length === 0 ? header : below(whole, header))
  return 1 + keys.reduce((at, key, i) => (i < keys.length - 1 ? Math.max(at, naming(key, at)) : below(key, at)), header)
}

function* selectedIn(text: string, table: unknown, keys: readonly string[]): Generator<string> {
  if (table === undefined) return
  if (!isTable(table)) throw invalid(`${named(keys)} must be a table`, lineOf(text, keys))
  for (const [key, value] of Object.entries(table)) {
    const own = [...keys, key]
    if (isTable(value)) {
      yield* selectedIn(text, value, own)
      continue
    }
    if (value !== 'selected') {
      throw invalid(`${named(own)} must be "selected"; leave out what is not`, lineOf(text, own))
    }
    const path = safePath(own.slice(1).join('/'))
    if (path === null) throw invalid(`${named(own)} is no path of a file within the program`, lineOf(text, own))
    yield path
  }
}

function lintingOf(text: string, table: unknown): TomlSelection['linting'] {
  if (table === undefined) return null
  if (!isTable(table)) throw invalid('linting must be a table', lineOf(text, ['linting']))
  const { linting, ...others } = table
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw invalid(
      `there is no key ${JSON.stringify(unknown)} in [linting]; there is "linting"`,
      lineOf(text, ['linting', unknown]),
    )
  }
  if (linting === undefined) return null
  if (linting === 'on' || linting === 'off') return linting
  throw invalid('linting must be "on" or "off"', lineOf(text, ['linting', 'linting']))
}

/**
 * Reads gpt-engineer's file selection: `[files]` with `"a/b.py" = "selected"`, also with a table for each folder, and
 * `[linting]` with `"linting" = "off"`.
 *
 * @throws {FaultlineError} VALIDATION_FAILED, naming the line: no TOML, an unknown key or value, a path that leads out.
 */
export function readTomlSelection(text: string): TomlSelection {
  const { files, linting, ...others } = parsed(text)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw invalid(
      `there is no table or key ${JSON.stringify(unknown)}; there are [files] and [linting]`,
      lineOf(text, [unknown]),
    )
  }
  const selected = [...selectedIn(text, files, ['files'])]
  return { paths: [...new Set(selected)], linting: lintingOf(text, linting) }
}

/** Where a file is asked for that is not there: the line that names it. */
export const lineOfPath = (text: string, path: string): number => lineOf(text, ['files', ...path.split('/')])
