import { ECOSYSTEM_RULES, type Checks, type EcosystemRule, type ProjectFiles } from './ecosystem-rules.ts'

/** The commands of a project, and what is known of how it is installed. */
export interface ProjectChecks {
  checks: Checks
  rules: readonly EcosystemRule[]
  /** Whether the install command reads nothing but the inputs of the rules, and runs none of the project's code. */
  isPlainInstall: boolean
}

/** The commands that checks may name. */
export const CHECK_NAMES = ['install', 'build', 'test', 'lint', 'typecheck'] as const satisfies ReadonlyArray<
  keyof Checks
>

/** An install by a package manager alone, with options that make it run nothing of the project. */
const PLAIN_INSTALL = new RegExp(
  '^(?:npm (?:ci|install)|pnpm install|uv sync(?=.* --no-install-project\\b)|poetry install(?=.* --no-root\\b)|' +
    'go mod download|cargo fetch|bundle install|(?:python3? -m )?pip3? install)' +
    '(?: -{1,2}[\\w-]+(?:=[\\w:.,-]+)?| -r [\\w./-]+)*$',
)
/** Options by which such a command runs or reads more after all. */
const RUNS_MORE = / (?:-e|-\w*e|--editable\b|--\S*scripts\S*|--prefix\b|--requirement\b|--constraint\b)/

function isPlain(command: string, rules: readonly EcosystemRule[]): boolean {
  if (!PLAIN_INSTALL.test(command) || RUNS_MORE.test(command)) return false
  const lists = [...command.matchAll(/ -r (\S+)/g)].map(([, path = '']) => path)
  return lists.every(path => rules.some(({ isInput }) => isInput(path)))
}

/** Whether an install finds files beside its inputs that it, or that of another package manager, may read or run. */
const mayReadMore = (rules: readonly EcosystemRule[], files: ProjectFiles): boolean =>
  rules.some(({ needsAll, mayUse }) => needsAll === true && (rules.length > 1 || mayUse?.(files) === true))

/** Commands that all have to succeed; a line each, since one may hold a text of several lines. */
function joined(commands: readonly string[]): string | undefined {
  if (commands.length < 2) return commands[0]
  return ['set -e', ...commands].join('\n')
}

/** What the rules say of a project's files; each command by the first rule that has one, installs one after another. */
export function checksByFiles(files: ProjectFiles): { checks: Checks; rules: EcosystemRule[] } {
  const found = ECOSYSTEM_RULES.map(rule => ({ rule, checks: rule.checks(files) })).filter(
    (one): one is { rule: EcosystemRule; checks: Checks } => one.checks !== null,
  )
  const checks: Checks = {}
  for (const name of CHECK_NAMES) {
    const commands = found.map(one => one.checks[name]).filter(command => command !== undefined)
    const command = name === 'install' ? joined(commands) : commands[0]
    if (command !== undefined) checks[name] = command
  }
  return { checks, rules: found.map(({ rule }) => rule) }
}

/**
 * The commands of a project at a commit: what its settings say wins over its file, which wins over the rules.
 *
 * @param told - Settings first, then the project's file.
 */
export function projectChecks(files: ProjectFiles, told: readonly Checks[]): ProjectChecks {
  const { checks: byRules, rules } = checksByFiles(files)
  const checks: Checks = {}
  for (const name of CHECK_NAMES) {
    const command = [...told, byRules].map(one => one[name]).find(one => one !== undefined)
    if (command !== undefined) checks[name] = command
  }
  const { install } = checks
  const isPlainInstall = install !== undefined && (install === byRules.install || isPlain(install, rules))
  return { checks, rules, isPlainInstall: isPlainInstall && rules.length > 0 && !mayReadMore(rules, files) }
}
