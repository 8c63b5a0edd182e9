import { parse, TomlError } from 'smol-toml'
import { FaultlineError } from '../../core/errors.ts'
import { safePath } from '../../core/safe-path.ts'

/** What gpt-engineer's file selection says. */
export interface TomlSelection {
  /** In the order of the file. */
  paths: string[]
  linting: 'on' | 'off' | null
}

/** The tables' own; smol-toml makes them without a prototype. */
type Table = Record<string, unknown>

/**
 * Reads gpt-engineer's file selection: `[files]` with `"a/b.py" = "selected"`, also with a table for each folder, and `[linting]` with `"linting" = "off"`.
 *
 * @throws {FaultlineError} VALIDATION_FAILED, naming the line: no TOML, an unknown key or value, a path that leads out.
 */
export function readTomlSelection (text: string): TomlSelection {
  const { files, linting, ...others } = parsed(text)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`there is no table or key ${JSON.stringify(unknown)}; there are [files] and [linting]`, lineOf(text, [unknown]))
  const selected = [...selectedIn(text, files, ['files'])]
  return { paths: [...new Set(selected)], linting: lintingOf(text, linting) }
}

function parsed (text: string): Table {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw invalid((error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, ''), error.line)
  }
}

function * selectedIn (text: string, table: unknown, keys: readonly string[]): Generator<string> {
  if (table === undefined) return
  if (!isTable(table)) throw invalid(`${named(keys)} must be a table`, lineOf(text, keys))
  for (const [key, value] of Object.entries(table)) {
    const own = [...keys, key]
    if (isTable(value)) {
      yield * selectedIn(text, value, own)
      continue
    }
    if (value !== 'selected') throw invalid(`${named(own)} must be "selected"; leave out what is not`, lineOf(text, own))
    const path = safePath(own.slice(1).join('/'))
    if (path === null) throw invalid(`${named(own)} is no path of a file within the program`, lineOf(text, own))
    yield path
  }
}

function lintingOf (text: string, table: unknown): TomlSelection['linting'] {
  if (table === undefined) return null
  if (!isTable(table)) throw invalid('linting must be a table', lineOf(text, ['linting']))
  const { linting, ...others } = table
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`there is no key ${JSON.stringify(unknown)} in [linting]; there is "linting"`, lineOf(text, ['linting', unknown]))
  if (linting === undefined) return null
  if (linting === 'on' || linting === 'off') return linting
  throw invalid('linting must be "on" or "off"', lineOf(text, ['linting', 'linting']))
}

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) === null

const named = (keys: readonly string[]): string => keys.length === 1 ? `[${keys[0]}]` : JSON.stringify(keys.slice(1).join('/'))

/** Where a file is asked for that is not there: the line that names it. */
export const lineOfPath = (text: string, path: string): number => lineOf(text, ['files', ...path.split('/')])

/** The first line that names the last key, after one that names those before it; the parser does not tell. */
function lineOf (text: string, keys: readonly string[]): number {
  const lines = text.split('\n').map(line => line.trim())
  let from = 0
  let found = 0
  for (const key of [...keys.slice(0, -1), keys.slice(1).join('/'), ...keys.slice(-1)]) {
    const at = lines.findIndex((line, i) => i >= from && !line.startsWith('#') && line.includes(key))
    if (at < 0 || key === '') continue
    found = at
    from = key === keys[0] ? at : from
  }
  return found + 1
}

const invalid = (problem: string, line: number): FaultlineError =>
  new FaultlineError('VALIDATION_FAILED', `select_toml, line ${line}: ${problem.slice(0, 300)}.`, 'Send [files] with "a/b.py" = "selected" for each file, and [linting] with "linting" = "off" where no linter is to run.')
