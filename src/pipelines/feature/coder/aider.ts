import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProgramRun } from '../../../contract/generation-results.ts'
import { shortened } from '../../../core/both-ends.ts'
import type { Usage } from '../../../core/job.ts'
import { placeholderLine } from '../../../edits/apply/placeholders.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { ModelProxy } from '../../../llm/proxy/model-proxy.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import type { Collected, CollectedFile, SkippedFile } from '../../../sandbox/workspace/collect.ts'
import { addChanges, currentFiles, type Changes } from '../../steps/base/base-files.ts'
import { runIn, type RunDeps } from '../../steps/program/run-program.ts'
import { printedBy } from '../../task/checks-words.ts'
import { similarity } from '../checks/stuck.ts'
import { isWithin } from '../rules.ts'
import { needAider, type AiderSettings } from './need-aider.ts'
import { outOfScope } from './own-coder.ts'
import type { CodedFiles, CoderFeature, CoderTaskInput, On } from './coder-task.ts'

/** What models are called. */
interface AiderNames extends AiderSettings {
  /** The configured model. */
  configuredModel: string | null
}

/** What the external coder needs. */
export interface AiderDeps {
  sandbox: RunDeps & Pick<Sandbox, 'collect'>
  aider: AiderNames & {
    /** Opens the way to the configured server of models; the key stays here. */
    openModel: (options: {
      whyNot: () => string | null
      /** What a call cost, and how many secrets were replaced in what it sent. */
      onUsage: (usage: Usage, redactions: number) => void
    }) => Promise<ModelProxy>
    /** What a call cost, with its price where that is known. */
    priced: (model: string, usage: Usage) => Usage
  }
}

/** The seed's: two minutes. */
const TIMEOUT_MS = 120_000
const MAX_RETRIES = 3
const SAME = 0.9
/** The kernel takes no longer argument. */
const MAX_ARGUMENT_BYTES = 100_000
const MAX_OUTPUT_CHARS = 20_000
const MAX_FILE_BYTES = 1_048_576
const IGNORED = ['node_modules', '.git', '.venv', '__pycache__']
const OWN_FILE = /^\.aider[^/]*/
const MESSAGE_FILE = '.aider.message.txt'
const PROXY = 'http://127.0.0.1:3128/v1'
const ENV = {
  OPENAI_API_BASE: PROXY,
  OPENAI_BASE_URL: PROXY,
  OPENAI_API_KEY: 'kept-by-faultline',
  AIDER_ANALYTICS: 'false',
  AIDER_CHECK_UPDATE: 'false',
  PYTHONDONTWRITEBYTECODE: '1',
}

/**
 * Lines by which aider says that it could not work although it exits with 0: errors of litellm, which it prints with
 * their class, what it says of its keys and models, and a crash of its own. From the messages of aider/exceptions.py,
 * aider/models.py and aider/coders/base_coder.py of Aider 0.86.
 */
const FATAL: readonly RegExp[] = [
  /\blitellm\.(?:\w+\.)?\w*(?:Error|Exception)\b/,
  /\b(?:APIConnection|APIError|Authentication|BadRequest|ContextWindowExceeded|InternalServer|NotFound|PermissionDenied|RateLimit|ServiceUnavailable|Timeout)Error\b/,
  /^The API provider .*(?:not able to authenticate|refused|rate limited|is down|is having)/im,
  /^(?:Error|Fatal|FATAL): /m,
  /^Traceback \(most recent call last\):/m,
  /\bModel \S{1,200} has hit a token limit!/,
  /^Only \d+ reflections allowed, stopping\./m,
  /^Unable to (?:read|write|create) /m,
  /\bNo such model\b|\bUnknown model\b/i,
]

/** The first line of an output by which aider says that it failed; null for none. */
export function fatalLine(output: string): string | null {
  const pattern = FATAL.find(one => one.test(output))
  if (pattern === undefined) return null
  return (
    output
      .split('\n')
      .find(line => pattern.test(line))
      ?.trim()
      .slice(0, 500) ?? pattern.source
  )
}

/** Aider's arguments, the seed's and those that keep it quiet, in the seed's order. */
export function aiderArgv(
  bin: string,
  {
    model,
    instruction,
    files,
    readOnlyFiles,
  }: { model: string; instruction: string } & Pick<CoderTaskInput, 'files'> & {
      readOnlyFiles: readonly string[]
    },
): string[] {
  // what begins with a dash would be read as an option of its own
  const isPlain = Buffer.byteLength(instruction) <= MAX_ARGUMENT_BYTES && !instruction.startsWith('-')
  const named = (file: string): string => (file.startsWith('-') ? `./${file}` : file)
  return [
    bin,
    '--yes-always',
    '--model',
    model,
    '--no-git',
    '--no-auto-commits',
    ...(isPlain ? ['--message', instruction] : ['--message-file', MESSAGE_FILE]),
    '--no-check-update',
    '--no-show-release-notes',
    '--no-show-model-warnings',
    '--no-analytics',
    '--no-pretty',
    '--no-fancy-input',
    '--no-suggest-shell-commands',
    '--no-detect-urls',
    ...files.map(named),
    ...readOnlyFiles.flatMap(file => ['--read', named(file)]),
  ]
}

const isOfSystem = (path: string): boolean => path === '/' || path === '/usr' || path.startsWith('/usr/')

/** Whether a folder is an installation of Python: it has the standard library. */
function isPython(folder: string): boolean {
  const lib = join(folder, 'lib')
  return (
    existsSync(lib) &&
    readdirSync(lib).some(name => /^python3\.\d+$/.test(name) && existsSync(join(lib, name, 'os.py')))
  )
}

/**
 * What aider needs of this machine: its program, the virtual environment that it is in, and the Python of that. Nothing
 * else beside it: a program in `~/bin` has the whole home folder as its neighbour.
 */
export function toolsOf(bin: string): string[] {
  const real = realpathSync(bin)
  const environment = dirname(dirname(real))
  const tools = new Set([real, bin])
  if (existsSync(join(environment, 'pyvenv.cfg'))) {
    tools.add(environment)
    const python = join(environment, 'bin', 'python')
    const prefix = existsSync(python) ? dirname(dirname(realpathSync(python))) : '/'
    if (!isOfSystem(prefix) && isPython(prefix)) tools.add(prefix)
  }
  return [...tools].filter(path => !isOfSystem(path))
}

/**
 * The model as aider names it: one of an OpenAI-compatible server, which the proxy is, whoever made the model. The
 * seed's `openrouter/` is such a server.
 */
export function aiderModel(asked: string | undefined, { model, configuredModel }: Omit<AiderNames, 'bin'>): string {
  if (asked !== undefined) return `openai/${asked}`
  if (model === null) return `openai/${configuredModel ?? ''}`
  return model.startsWith('openai/') ? model : `openai/${model.replace(/^openrouter\//, '')}`
}

function textOf({ content }: CollectedFile): string | null {
  if (content.length > MAX_FILE_BYTES || content.includes(0)) return null
  const text = content.toString()
  return Buffer.from(text).equals(content) ? text : null
}

/** One run of aider, as its step keeps it. */
type AiderRun = {
  error: string | null
  output: string
  changes: Changes
  touched: string[]
  /** Why files that it changed may not be changed. */
  refused: string[]
}

/** Files that aider left, as far as they may be taken. */
interface Left {
  /** New text by path; null for a file that is gone. */
  texts: Map<string, string | null>
  /** Why others may not be changed. */
  refused: string[]
}

/** What aider sees: texts that it may change, and those that it is to read. Nothing else is of use to it. */
async function textsFor(
  job: JobContext,
  { base, rules }: CoderFeature,
  { input, changes }: { input: CoderTaskInput; changes: Changes },
): Promise<Map<string, string>> {
  const current = currentFiles(job, base, changes)
  const named = new Set([...input.files, ...(input.readOnlyFiles ?? [])])
  const isWanted = (path: string): boolean => named.has(path) || isWithin(rules.allowedPaths, path)
  const isLookedAt = (path: string): boolean => !path.split('/').some(name => IGNORED.includes(name))
  return current.readAll((await current.paths()).filter(path => isWanted(path) && isLookedAt(path)))
}

/** Why something that is no regular file is not taken. */
const whySkipped = ({ path, reason }: SkippedFile): string =>
  path === '' ? 'There are more files than can be taken.' : `${path} cannot be taken: ${reason.replaceAll('_', ' ')}.`

/** What is different in the workspace from what was put there, by what may be changed. */
async function leftIn(
  { files: found, skipped }: Collected,
  { refusal }: CoderFeature,
  { input, placed }: { input: CoderTaskInput; placed: ReadonlyMap<string, string> },
): Promise<Left> {
  const { files, readOnlyFiles = [] } = input
  const left: Left = { texts: new Map(), refused: skipped.map(whySkipped) }

  async function whyNot(path: string, text: string | null): Promise<string | null> {
    const why = await refusal(path)
    if (why !== null) return why
    if (readOnlyFiles.includes(path) && !files.includes(path)) return `${path} was given for reading only.`
    const [before, after] = [placed.get(path) ?? '', text ?? ''].map(placeholderLine)
    if (before !== undefined || after === undefined) return null
    return `${path} would get a placeholder in place of a secret: ${after.slice(0, 200)}`
  }

  async function take(path: string, text: string | null): Promise<void> {
    const why = await whyNot(path, text)
    if (why === null) left.texts.set(path, text)
    else left.refused.push(why)
  }

  for (const file of found) {
    const text = textOf(file)
    if (text === null) left.refused.push(`${file.path} is no text of up to ${MAX_FILE_BYTES} bytes.`)
    else if (text !== placed.get(file.path)) await take(file.path, text)
  }
  const there = new Set([...found, ...skipped].map(({ path }) => path))
  const isWhole = !there.has('') // else what was not reached would look as if it were gone
  for (const path of placed.keys()) if (isWhole && !there.has(path)) await take(path, null)
  return left
}

/** What is in the workspace but aider's own files. */
async function collected(sandbox: Pick<Sandbox, 'collect'>, workspace: string): Promise<Collected> {
  const { files, skipped } = await sandbox.collect(workspace, { ignore: IGNORED })
  const isOthers = ({ path }: { path: string }): boolean => !OWN_FILE.test(path)
  return { files: files.filter(isOthers), skipped: skipped.filter(isOthers) }
}

/** Why a run did not succeed; null where it did. */
function errorOf(
  run: Pick<ProgramRun, 'exitCode' | 'timedOut'>,
  { output, isUnchanged, timeout }: { output: string; isUnchanged: boolean; timeout: number },
): string | null {
  if (run.timedOut) return `aider did not end within ${timeout / 1000} s.`
  if (run.exitCode !== 0) return `aider ended with exit code ${run.exitCode ?? 'none'}.\n${output}`
  const fatal = fatalLine(output)
  if (fatal !== null) return `aider could not work: ${fatal}`
  return isUnchanged ? `aider changed no file.\n${output}` : null
}

/** Runs aider once, and takes what it changed. */
async function runOnce(
  job: JobContext,
  deps: AiderDeps,
  feature: CoderFeature,
  { input, changes, instruction }: { input: CoderTaskInput; changes: Changes; instruction: string },
): Promise<AiderRun> {
  const { sandbox, aider } = deps
  const { files, readOnlyFiles = [], timeout = TIMEOUT_MS, mayStay = false } = input
  const bin = needAider(aider)
  const name = aiderModel(feature.model, aider)
  let billing = Promise.resolve()
  await job.checkBudget()
  await job.waitForRoom()
  const workspace = await job.workspace('aider')
  const proxy = await aider.openModel({
    whyNot: () => (job.isOverBudget() ? 'The budget of the job is used up.' : null),
    onUsage(usage, redactions) {
      const priced = aider.priced(name.replace(/^openai\//, ''), usage)
      billing = billing.then(() => job.addUsage(priced, redactions))
      billing.catch(() => {}) // it is thrown below
    },
  })
  async function runIt(): Promise<AiderRun> {
    const placed = await textsFor(job, feature, { input, changes })
    await sandbox.fill(workspace, new Map([...placed, [MESSAGE_FILE, instruction]]))
    const run = await runIn(job, sandbox, {
      workspace,
      argv: aiderArgv(bin, { model: name, instruction, files, readOnlyFiles }),
      env: ENV,
      network: { socket: proxy.socket },
      tools: toolsOf(bin),
      timeoutMs: timeout,
    })
    await proxy.close() // what it cost is known then, of calls that broke off, too
    await billing
    const output = printedBy(run)
    const { texts, refused } = await leftIn(await collected(sandbox, workspace), feature, { input, placed })
    await job.files.put(texts)
    const touched = [...texts.keys()].sort()
    const isThere = (path: string): boolean => texts.get(path) !== null
    const isUnchanged = touched.length + refused.length === 0 && !mayStay
    const error = errorOf(run, { output, isUnchanged, timeout })
    return {
      error: error === null ? null : shortened(error, MAX_OUTPUT_CHARS),
      output: shortened(output, MAX_OUTPUT_CHARS),
      changes: addChanges(changes, {
        changed: touched.filter(isThere),
        deleted: touched.filter(path => !isThere(path)),
      }),
      touched,
      refused,
    }
  }
  try {
    return await runIt()
  } finally {
    await proxy.close()
    await sandbox.remove(workspace, { later: true })
    job.log(`aider called the model ${proxy.calls()} times.`)
  }
}

/** The seed's words for another try. */
const again = (error: string, instruction: string): string =>
  `Previous attempt failed with error:\n${error}\n\nOriginal task: ${instruction}\n\n` +
  'Please fix the error and try again.'

/**
 * Has aider write, in the sandbox, with the model server alone within its reach. It succeeds only when it exits with
 * 0, changed files (unless they may be right as they are) and printed no error of the kind after which it could not
 * work. What fails is told in another run, up to `maxRetries` times, and the same error twice ends it; a change of what
 * may not be changed is told once.
 *
 * @throws {FaultlineError} OUT_OF_SCOPE, SANDBOX_UNAVAILABLE
 */
export async function aiderCoder(
  job: JobContext,
  deps: AiderDeps,
  feature: CoderFeature,
  { input, on }: { input: CoderTaskInput; on: On },
): Promise<CodedFiles> {
  const { maxRetries = MAX_RETRIES } = input
  const errors: string[] = []
  const touched = new Set<string>()
  let { changes } = on
  let { instruction } = input
  let isTold = false
  for (let tries = 0; ; tries++) {
    const run = await job.step('aider', () => runOnce(job, deps, feature, { input, changes, instruction }))
    changes = run.changes
    for (const path of run.touched) touched.add(path)
    if (run.refused.length > 0 && isTold) throw outOfScope(run.refused)
    isTold ||= run.refused.length > 0
    const refused = run.refused.length > 0 ? run.refused.join(' ') : null
    const error = run.error ?? refused
    const coded = { changes, touched: [...touched].sort(), output: run.output, errors }
    if (error === null) return { success: true, ...coded }
    const isStuck = similarity(errors.at(-1) ?? '', error) > SAME
    errors.push(error)
    if (isStuck || tries === maxRetries) return { success: false, ...coded }
    instruction = again(shortened(error, MAX_OUTPUT_CHARS), input.instruction)
  }
}
