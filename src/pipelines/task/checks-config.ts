import { isObject } from '../../core/is-object.ts'
import { jsonObjectIn } from '../../core/json-object.ts'
import { baseName } from '../../core/path-names.ts'

/** The check that a file configures. */
export type CheckName = 'typecheck' | 'lint' | 'test'

/** By the base name, in small letters. */
const LINT =
  /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|\.eslintignore|biome\.jsonc?|\.?oxlint(?:rc)?\.json|\.prettierrc(?:\.\w+)?|prettier\.config\.[cm]?[jt]s|\.prettierignore|\.stylelintrc(?:\.\w+)?|\.?ruff\.toml|\.flake8|\.?pylintrc|\.?mypy\.ini|\.rubocop(?:_todo)?\.yml|\.golangci\.ya?ml|\.?clippy\.toml|\.?rustfmt\.toml|phpstan\.neon(?:\.dist)?|phpcs\.xml(?:\.dist)?|\.php-cs-fixer(?:\.dist)?\.php|checkstyle\.xml)$/
const TEST =
  /^(?:(?:jest|vitest|ava|karma|playwright|cypress)\.config\.[cm]?[jt]s(?:on)?|vitest\.workspace\.[cm]?[jt]s|\.mocharc(?:\.\w+)?|\.taprc|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|pytest\.ini|\.coveragerc|\.rspec|phpunit(?:\.dist)?\.xml(?:\.dist)?|nextest\.toml)$/
const TYPECHECK =
  /^(?:[tj]sconfig(?:\.[\w-]+)*\.json|\.?mypy\.ini|pyrightconfig\.json|\.?pyre_configuration|phpstan\.neon(?:\.dist)?|psalm\.xml(?:\.dist)?|\.flowconfig)$/
const BY_CHECK: Readonly<Record<CheckName, RegExp>> = { typecheck: TYPECHECK, lint: LINT, test: TEST }
/** They may say what any of them does. */
const ALL = /^(?:pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|(?:gnu)?makefile|justfile|taskfile\.ya?ml|rakefile)$/

/** Keys of a package.json by which linters and runners are configured. */
const TOOL_KEYS = [
  'jest',
  'mocha',
  'ava',
  'tap',
  'nyc',
  'c8',
  'vitest',
  'eslintConfig',
  'eslintIgnore',
  'prettier',
  'stylelint',
  'xo',
  'standard',
]

/** Whether a file says what a check looks at, and what it forbids. `package.json` is read apart. */
export function configures(path: string, check: CheckName): boolean {
  const name = baseName(path).toLowerCase()
  return ALL.test(name) || BY_CHECK[check].test(name)
}

const scriptsOf = ({ scripts }: Record<string, unknown>): Record<string, unknown> => (isObject(scripts) ? scripts : {})

/** Scripts that a command names, those that these name, and what runs before and after each. */
function reachableScripts(command: string, scripts: Record<string, unknown>): string[] {
  const found = new Set<string>()
  const open = [command]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const words = text.split(/[\s"'&|;()]+/)
    const isNamed = (name: string): boolean =>
      words.some(word => word === name || (word.endsWith('*') && name.startsWith(word.slice(0, -1))))
    for (const [name, script] of Object.entries(scripts)) {
      if (found.has(name) || !(isNamed(name) || isNamed(name.replace(/^(?:pre|post)/, '')))) continue
      found.add(name)
      if (typeof script === 'string') open.push(script)
    }
  }
  return [...found]
}

/**
 * A package.json after a change, with what a command runs by it as it was before: the scripts that it reaches, and the
 * configuration of linters and runners. So a script that says `true` passes nothing.
 *
 * @returns Null where the change leaves all of that alone, and where either text cannot be read.
 */
export function withOwnScripts(after: string, { before, command }: { before: string; command: string }): string | null {
  const [now, then] = [jsonObjectIn(after), jsonObjectIn(before)]
  if (now === null || then === null) return null
  const [scripts, old] = [scriptsOf(now), scriptsOf(then)]
  const reached = new Set([...reachableScripts(command, old), ...reachableScripts(command, scripts)])
  const others = Object.entries(scripts).filter(([name]) => !reached.has(name) || name in old)
  const own = Object.entries(old).filter(([name]) => reached.has(name))
  const kept = { ...now, scripts: { ...Object.fromEntries(others), ...Object.fromEntries(own) } }
  const tools = Object.fromEntries(TOOL_KEYS.map(key => [key, then[key]]))
  const text = JSON.stringify({ ...kept, ...tools })
  const isSame = [...reached].every(name => scripts[name] === old[name])
  const hasTools = TOOL_KEYS.every(key => JSON.stringify(now[key]) === JSON.stringify(then[key]))
  return isSame && hasTools ? null : text
}
