import { FaultlineError } from '../../../core/errors.ts'
import { baseName } from '../../../core/path-names.ts'
import type { EnvironmentState } from '../environment.ts'
import type { TestRun } from './test-run.ts'

/** Why tests could not be run, and what helps. */
export interface Hindrance {
  reason: string
  fix: string
}

/** The reason and what helps, as sentences. */
export const inWords = ({ reason, fix }: Hindrance): string =>
  `${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${fix}`.trim()

/** A way in which a command ends before any test began. */
interface Rule {
  /** As docs/verification.md lists it. */
  name: string
  /** Fits the line that says it; the group `what` is the part that is named. */
  pattern: RegExp
  /** What the line means, before the part that is named. */
  says: string
  /** What to do about it. */
  fix: string
  /** Whether `what` may be a part of the project, or the very fault: then it hinders nothing. */
  isModule?: boolean
}

const INSTALL = 'Set checks.install of the project, so that its dependencies are there.'
const MAX_LINE_CHARS = 500
const MAX_LINES = 5_000

/** In this order; docs/verification.md has the same table. */
export const RULES: readonly Rule[] = [
  {
    name: 'no runner of Python',
    pattern: /python[\d.]{0,6}: No module named '?(?<what>[\w.]{1,100})/,
    says: 'Python has no module',
    fix: INSTALL,
    isModule: true,
  },
  {
    name: 'no module of Python',
    pattern: /^(?:E {1,8})?ModuleNotFoundError: No module named '(?<what>[\w.]{1,100})'/,
    says: 'Python has no module',
    fix: INSTALL,
    isModule: true,
  },
  {
    name: 'no package of Node',
    pattern:
      /(?:Cannot find package|Cannot find module) '(?<what>(?:@[\w.-]{1,100}\/)?[\w-][\w.-]{0,100})(?:\/[^']{0,200})?'/,
    says: 'Node finds no package',
    fix: INSTALL,
    isModule: true,
  },
  {
    name: 'no package of Node',
    pattern: /Cannot find module '[^']{0,200}\/node_modules\/(?<what>(?:@[\w.-]{1,100}\/)?[\w-][\w.-]{0,100})/,
    says: 'Node finds no package',
    fix: INSTALL,
  },
  {
    name: 'no script of npm',
    pattern: /^(?:npm (?:error|ERR!)| ?ERR_PNPM_NO_SCRIPT ) Missing script: "?(?<what>[^"]{1,100})/,
    says: 'package.json has no script',
    fix: 'Set checks.test of the project to a command that it has.',
  },
  {
    name: 'no package of Go',
    pattern: /(?:no required module provides package|cannot find module providing package) (?<what>[^\s;:]{1,200})/,
    says: 'Go has no package',
    fix: INSTALL,
  },
  {
    name: 'no crate',
    pattern: /^(?:error|Caused by): ?(?<what>failed to (?:download|get|load source)\b.{0,100})/,
    says: 'Cargo says',
    fix: INSTALL,
  },
  {
    name: 'no artifact of Maven or Gradle',
    pattern: /(?<what>Could not (?:resolve (?:all |dependencies)|transfer artifact|find artifact).{0,150})/,
    says: 'The build says',
    fix: INSTALL,
  },
  {
    name: 'no gem',
    pattern: /(?<what>Could not find (?:gem '|[\w.-]{1,80}-\d)[^\n]{0,100})/,
    says: 'Bundler says',
    fix: INSTALL,
  },
  {
    name: 'no packages of Composer',
    pattern: /(?<what>vendor\/autoload\.php)\)?: [Ff]ailed to open/,
    says: 'PHP finds no',
    fix: INSTALL,
  },
  {
    name: 'no command',
    pattern: /(?:^|: )(?<what>[\w./@+-]{1,150}): (?:command not found|not found|No such file or directory)$/,
    says: 'There is no command',
    fix: 'Set checks.install of the project, or install the program for the sandbox (docs/sandbox.md).',
  },
  {
    name: 'no command',
    pattern: /^command not found: (?<what>[\w./@+-]{1,150})$/,
    says: 'There is no command',
    fix: INSTALL,
  },
  {
    name: 'not executable',
    pattern: /: (?<what>[\w./@+-]{1,150}): Permission denied$/,
    says: 'It may not be executed:',
    fix: 'Name the program that runs it in the command: bash, python3, node.',
  },
  {
    name: 'no tests',
    pattern: /^(?<what>(?:=* ?no tests ran in|No tests found, exiting|No test files found|Ran 0 tests in).{0,60})/,
    says: 'The runner says',
    fix: 'Set checks.test of the project to a command that runs tests.',
  },
]

/** Exit codes of a shell for a command that is not there, or cannot be started. */
const NOT_STARTED = new Set([126, 127])
/** These rules take what any program may print about its own files, so the shell must have said it. */
const OF_SHELL = new Set(['no command', 'not executable'])

/** Files that are modules: `pytest.ini` is no part of pytest. */
const SOURCE = /\.(?:pyi?|pyx|so|node|json|wasm|[cm]?[jt]sx?)$/

const ran = ({ report }: TestRun): boolean => report?.tests.some(({ status }) => status === 'passed') === true

/** Whether a module is the project's own, or what the trace itself is about. */
function isOwn(what: string, { paths, trace }: { paths: readonly string[]; trace: string }): boolean {
  const name = what.split(/[./]/)[0] ?? ''
  const isNamed = (path: string): boolean =>
    path.split('/').slice(0, -1).includes(name) || (SOURCE.test(path) && baseName(path).replace(SOURCE, '') === name)
  return trace.includes(`'${what}'`) || paths.some(isNamed)
}

/**
 * Why a failed run says nothing of the project's tests: none began. Null where some did, or where nothing tells.
 *
 * @param of.trace - What is to be fixed: a fault is no hindrance of its own check.
 */
export function hindranceOf(test: TestRun, of: { paths: readonly string[]; trace: string }): Hindrance | null {
  const { exitCode, stdout, stderr } = test.run
  if (exitCode === 0 || exitCode === null || ran(test)) return null
  const lines = `${stderr}\n${stdout}`.split('\n').slice(0, MAX_LINES)
  for (const { name, pattern, says, fix, isModule = false } of RULES) {
    if (OF_SHELL.has(name) && !NOT_STARTED.has(exitCode)) continue
    for (const line of lines) {
      const what = pattern.exec(line.slice(0, MAX_LINE_CHARS).trimEnd())?.groups?.what
      if (what === undefined || (isModule && isOwn(what, of))) continue
      return { reason: `${says} ${what}.`, fix }
    }
  }
  return null
}

/**
 * What an error says of why nothing can be run; null for any other error.
 *
 * @param isAsked - Whether the request named the command: without a sandbox such a job fails.
 */
export function hindranceIn(error: unknown, isAsked: boolean): Hindrance | null {
  if (!(error instanceof FaultlineError)) return null
  const hinders = error.code === 'ENVIRONMENT_FAILED' || (error.code === 'SANDBOX_UNAVAILABLE' && !isAsked)
  if (!hinders) return null
  const { message: reason, fix = '' } = error
  return { reason, fix }
}

/** Why nothing can be run at all; null where something can. */
export async function whyMissing(needed: Promise<EnvironmentState>, isAsked: boolean): Promise<Hindrance | null> {
  try {
    const state = await needed
    return state.status === 'failed' ? { reason: state.reason, fix: state.fix } : null
  } catch (error) {
    const hindrance = hindranceIn(error, isAsked)
    if (hindrance === null) throw error
    return hindrance
  }
}
