import { parse, TomlError } from 'smol-toml'
import { isObject } from '../../core/is-object.ts'
import { CHECK_NAMES } from './checks.ts'
import type { Checks } from './ecosystem-rules.ts'

/** Where a project says how it is checked. */
export const PROJECT_FILE = '.faultline.toml'
/** As in the settings. */
const MAX_COMMAND_CHARS = 2000

/** What a project's file says, or why nothing of it counts. */
type ReadProjectFile = { checks: Checks; notice: null } | { checks: Checks; notice: string }

const refused = (reason: string): ReadProjectFile => ({
  checks: {},
  notice: `${PROJECT_FILE} does not count: ${reason.slice(0, 300)}.`,
})

function parsed(text: string): Record<string, unknown> | string {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    return `line ${error.line}: ${reason}`
  }
}

const isCommand = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_COMMAND_CHARS && !value.includes('\0')

/** Reads `[checks]` of a project's file. Whatever is wrong with it, it is told, and nothing of the file counts. */
export function readProjectFile(text: string): ReadProjectFile {
  const told = parsed(text)
  if (typeof told === 'string') return refused(told)
  const { checks = {} } = told
  if (!isObject(checks)) return refused('[checks] must be a table')
  const found: Checks = {}
  for (const [name, command] of Object.entries(checks)) {
    const known = CHECK_NAMES.find(one => one === name)
    if (known === undefined) {
      return refused(`there is no key ${JSON.stringify(name)} in [checks]; there are ${CHECK_NAMES.join(', ')}`)
    }
    if (!isCommand(command)) return refused(`checks.${name} must be a text of 1 to ${MAX_COMMAND_CHARS} characters`)
    found[known] = command
  }
  return { checks: found, notice: null }
}
