import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** As much of `action.yml` as a runner looks at here. */
interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: Array<{ id: string; shell: string; env: Record<string, string>; run: string }> }
}

type Contexts = Record<string, unknown>

/** A value as the expressions of GitHub have it. */
const toData = (value: unknown): data.ExpressionData => JSON.parse(JSON.stringify(value), data.reviver)

/** The value of one expression, by GitHub's own evaluator. */
function evaluate(expression: string, contexts: Contexts): string {
  const { tokens } = new Lexer(expression).lex()
  const all = toData(contexts) as data.Dictionary
  return new Evaluator(new Parser(tokens, Object.keys(contexts), []).parse(), all).evaluate().coerceString()
}

/** A text with its `${{ … }}` replaced. */
export const filled = (value: string, contexts: Contexts): string =>
  value.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => evaluate(expression.trim(), contexts))

/** The lines `name=value` of a file that a step wrote. */
const linesOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    (existsSync(file) ? readFileSync(file, 'utf8') : '')
      .split('\n')
      .filter(line => line !== '')
      .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** The shell of a step, as the runner starts it: `shell: bash`. */
const BASH = ['--noprofile', '--norc', '-eo', 'pipefail']

/** A program to its end: what it printed, and how it exited. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ exitCode: number | null; output: string; stderr: string }> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode: exitCode as number | null, output, stderr }
}

/** What a step of a workflow that `uses` the action of this repository comes to. */
interface ActionRun {
  exitCode: number | null
  output: string
  stderr: string
  outputs: Record<string, string>
  summary: string
}

/**
 * Runs the composite action of this repository as the runner of GitHub does: inputs with their defaults, expressions by
 * GitHub's evaluator, each step in its own shell with the files and variables of a runner, and nothing else.
 */
export async function runAction(
  folder: string,
  inputs: Record<string, string>,
  { sha, env = {} }: { sha: string; env?: Record<string, string> },
): Promise<ActionRun> {
  const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action
  const unknown = Object.keys(inputs).filter(name => !(name in action.inputs))
  if (unknown.length > 0) throw new Error(`no such input: ${unknown.join()}`)
  const github = { sha, action_path: ROOT }
  const given = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: value = '' }]) => [
      name,
      inputs[name] ?? filled(value, { github }),
    ]),
  )
  const temporary = join(folder, 'runner-temp')
  mkdirSync(temporary, { recursive: true })
  const files = { summary: join(temporary, 'summary.md'), output: join(temporary, 'output') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const steps: Record<string, { outputs: Record<string, string> }> = {}
  const run = { exitCode: 0 as number | null, output: '', stderr: '' }
  for (const [at, { id, shell, env: own, run: script }] of action.runs.steps.entries()) {
    if (shell !== 'bash') throw new Error(`no such shell: ${shell}`)
    const file = join(temporary, `${at}.sh`)
    const contexts = { inputs: given, github, steps }
    writeFileSync(file, filled(script, contexts))
    const ended = await runProgram('bash', [...BASH, file], {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTION_PATH: ROOT,
        GITHUB_SHA: sha,
        GITHUB_STEP_SUMMARY: files.summary,
        GITHUB_OUTPUT: files.output,
        RUNNER_TEMP: temporary,
        ...env,
        ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, filled(value, contexts)])),
      },
    })
    steps[id] = { outputs: linesOf(files.output) }
    run.output += ended.output
    run.stderr += ended.stderr
    run.exitCode = ended.exitCode
    if (ended.exitCode !== 0) break
  }
  return {
    ...run,
    outputs: Object.fromEntries(
      Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value, { steps })]),
    ),
    summary: readFileSync(files.summary, 'utf8'),
  }
}
