// Shared by the scripts beside it: run a small program that crashes and keep what its runtime printed.
import { spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TRACES = join(import.meta.dirname, '../../test/fixtures/traces')
const PROGRAMS = join(import.meta.dirname, 'programs')
const SCRATCH = '/tmp/faultline-record.out'
const TIMEOUT_MS = 120_000

interface RunOptions {
  cwd: string
  env?: Record<string, string>
  /** Lines that differ from run to run and tell nothing, e.g. a build's. */
  without?: RegExp
}

/** Puts the programs of a family into a neutral folder, so that traces show no path of this machine. */
export function install(family: string, folder = `/srv/app/${family}`): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(PROGRAMS, family), folder, { recursive: true })
  return folder
}

/** Whether a command can be run; says what is skipped when it cannot. */
export function has(command: string, ...args: string[]): boolean {
  const there = spawnSync(command, args, { stdio: 'ignore', timeout: TIMEOUT_MS }).error === undefined
  if (!there) console.log(`skipped: ${command} is not installed`)
  return there
}

/** What a command prints on both streams, in the order it does. */
export function output([command = '', ...args]: string[], { cwd, env = {}, without }: RunOptions): string {
  const file = openSync(SCRATCH, 'w')
  const { error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', file, file],
    timeout: TIMEOUT_MS,
  })
  closeSync(file)
  if (error !== undefined) throw error
  const text = readFileSync(SCRATCH, 'utf8')
  return without === undefined
    ? text
    : text
        .split('\n')
        .filter(line => !without.test(line))
        .join('\n')
}

/** Runs a step that has to succeed, such as a compiler. */
export function build(argv: string[], options: RunOptions): void {
  const [command = '', ...args] = argv
  const { status, stderr, stdout, error } = spawnSync(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  })
  if (error !== undefined || status !== 0) {
    throw new Error(`${argv.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`)
  }
}

/** Records what a command prints as the fixture `name`. */
export function record(name: string, argv: string[], options: RunOptions): void {
  writeFileSync(join(TRACES, `${name}.txt`), output(argv, options))
  console.log(name)
}
