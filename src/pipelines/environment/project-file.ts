import { parse, TomlError } from 'smol-toml'
import { isObject } from '../../core/is-object.ts'
import { isBranchPrefix, isFolderOrFile, isTemplatePath, type FeatureSettings } from '../../core/feature-settings.ts'
import { CHECK_NAMES } from './checks.ts'
import type { Checks } from './ecosystem-rules.ts'

/** Where a project says how it is checked, and how features are built in it. */
export const PROJECT_FILE = '.faultline.toml'
/** As in the settings. */
const MAX_COMMAND_CHARS = 2000
const MAX_PATHS = 100
const MAX_PREFIX_CHARS = 100

/** What a project's file says, or why nothing of it counts. */
interface ReadProjectFile {
  checks: Checks
  features: FeatureSettings
  notice: string | null
}

/** What is wrong with the file. */
class Mistake extends Error {}

/** One value of a table: what it must be, in words, and whether it is. */
interface Kind {
  words: string
  fits: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

const COMMAND: Kind = {
  words: `a text of 1 to ${MAX_COMMAND_CHARS} characters`,
  fits: value => isText(value) && value.trim() !== '' && value.length <= MAX_COMMAND_CHARS,
}
const PATHS: Kind = {
  words: `a list of up to ${MAX_PATHS} paths of the repository, such as "src/dynamic/"`,
  fits: value =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_PATHS &&
    value.every(one => isText(one) && isFolderOrFile(one)),
}
const FOLDER: Kind = {
  words: 'a folder of the repository, such as "templates"',
  fits: value => isText(value) && isFolderOrFile(value),
}
const PREFIX: Kind = {
  words: 'what the names of branches begin with, such as "feat/"',
  fits: value => isText(value) && value.length <= MAX_PREFIX_CHARS && isBranchPrefix(value),
}
const STYLE: Kind = {
  words: '"conventional" or "plain"',
  fits: value => value === 'conventional' || value === 'plain',
}
const TEMPLATE_PATH: Kind = {
  words: 'a path of the repository, with {table}, {entity} or {tool} in it',
  fits: value => isText(value) && isTemplatePath(value),
}
const URL_TEXT: Kind = {
  words: 'a URL with https:// of up to 2048 characters',
  fits: value => isText(value) && value.length <= 2048 && /^https?:\/\//i.test(value) && URL.canParse(value),
}
const NOTIFY: Kind = {
  words: 'a list of "waiting" and "done"',
  fits: value => Array.isArray(value) && value.every(one => one === 'waiting' || one === 'done'),
}

const CHECKS: Record<string, Kind> = Object.fromEntries(CHECK_NAMES.map(name => [name, COMMAND]))
const PATH_KINDS = { schema: TEMPLATE_PATH, tool: TEMPLATE_PATH, test: TEMPLATE_PATH }
const MIGRATIONS = { generate: COMMAND, apply: COMMAND, rollback: COMMAND, folder: FOLDER }
const FEATURES = { allowed_paths: PATHS, templates: FOLDER, branch_prefix: PREFIX, commit_style: STYLE }
const ROOT = { deploy_url: URL_TEXT, notify: NOTIFY }

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    throw new Mistake(`line ${error.line}: ${reason}`)
  }
}

function tableAt(value: unknown, name: string): Record<string, unknown> {
  if (value === undefined) return {}
  if (!isObject(value)) throw new Mistake(`[${name}] must be a table`)
  return value
}

/** The values of a table, each of which must be known and fit. */
function readTable(table: Record<string, unknown>, name: string, kinds: Readonly<Record<string, Kind>>) {
  const found: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(table)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (kind === undefined) {
      const known = Object.keys(kinds).join(', ')
      throw new Mistake(`there is no key ${JSON.stringify(key)} in [${name}]; there are ${known}`)
    }
    if (!kind.fits(value)) throw new Mistake(`${name}.${key} must be ${kind.words}`)
    found[key] = value
  }
  return found
}

/** Of the top of the file only what is known counts: other tools may keep their tables there. */
function readRoot(told: Record<string, unknown>): FeatureSettings {
  for (const [key, kind] of Object.entries(ROOT)) {
    if (told[key] !== undefined && !kind.fits(told[key])) throw new Mistake(`${key} must be ${kind.words}`)
  }
  const { deploy_url: deployUrl, notify } = told as { deploy_url?: string; notify?: FeatureSettings['notify'] }
  return { ...(deployUrl === undefined ? {} : { deployUrl }), ...(notify === undefined ? {} : { notify }) }
}

function readFeatures(told: Record<string, unknown>): FeatureSettings {
  const { paths, ...table } = tableAt(told.features, 'features')
  const own = readTable(table, 'features', FEATURES) as {
    allowed_paths?: string[]
    templates?: string
    branch_prefix?: string
    commit_style?: FeatureSettings['commitStyle']
  }
  return {
    ...(own.allowed_paths === undefined ? {} : { allowedPaths: own.allowed_paths }),
    ...(own.templates === undefined ? {} : { templates: own.templates }),
    ...(own.branch_prefix === undefined ? {} : { branchPrefix: own.branch_prefix }),
    ...(own.commit_style === undefined ? {} : { commitStyle: own.commit_style }),
    paths: readTable(tableAt(paths, 'features.paths'), 'features.paths', PATH_KINDS),
    migrations: readTable(tableAt(told.migrations, 'migrations'), 'migrations', MIGRATIONS),
    ...readRoot(told),
  }
}

/**
 * Reads a project's file. Whatever is wrong with it, it is told, and nothing of the file counts.
 *
 * @param text - Null for one that is too large to be read.
 */
export function readProjectFile(text: string | null): ReadProjectFile {
  try {
    if (text === null) throw new Mistake('it is larger than 1 MiB')
    const told = parsed(text)
    const checks: Checks = readTable(tableAt(told.checks, 'checks'), 'checks', CHECKS)
    return { checks, features: readFeatures(told), notice: null }
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    return {
      checks: {},
      features: {},
      notice: `${PROJECT_FILE} does not count: ${error.message.slice(0, 300)}.`,
    }
  }
}
