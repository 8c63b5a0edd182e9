// Crashes of our own: programs in several languages with bugs whose cause is not the line that fails. They are run, so
// their traces are real.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { languageOf } from '../../src/indexer/languages.ts'
import type { Crash } from './crashes.ts'
import type { SourceFile } from './project.ts'

/** The crashes, and the sources that they are looked up in. */
interface OwnCrashes {
  /** All programs as one repository, so that files of other programs can be mistaken for the cause. */
  files: SourceFile[]
  crashes: Crash[]
  /** Crashes whose program cannot be run here, with the reason. */
  skipped: string[]
}

/** An entry of `crashes.json`: how to run a program so that it crashes, and the lines that are at fault. */
interface Recipe {
  id: string
  command: [program: string, ...args: string[]]
  /** `line` is a part of the first line that no other line of the file has. */
  cause: { file: string; line: string; lines?: number }
}

const PROGRAMS = fileURLToPath(new URL('../../test/fixtures/crashes', import.meta.url))
const RECIPES = 'crashes.json'
const TIMEOUT_MS = 60_000
const ENV = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: '/nonexistent',
  LANG: 'C',
  PYTHONDONTWRITEBYTECODE: '1',
  NO_COLOR: '1',
}

function sourceOf(home: string, path: string): SourceFile[] {
  const language = languageOf(path)
  return language === null ? [] : [{ path, language, text: readFileSync(join(home, path), 'utf8') }]
}

const runnable = (program: string): boolean =>
  spawnSync(program === 'java' ? 'javac' : program, ['--version'], { env: ENV, timeout: TIMEOUT_MS }).status === 0

function crash({ id, command: [program, ...args] }: Recipe, home: string, compile: () => string): string {
  const all =
    program === 'java' ? ['-cp', compile(), ...args] : args.map(arg => (/\.\w+$/.test(arg) ? join(home, arg) : arg))
  const { status, stderr } = spawnSync(program, all, { cwd: home, env: ENV, encoding: 'utf8', timeout: TIMEOUT_MS })
  if (status === 0 || stderr === '') throw new Error(`${id} did not crash.`)
  return stderr
}

function compileJava(home: string, classes: string): string {
  mkdirSync(classes, { recursive: true })
  execFileSync('javac', ['-d', classes, ...globSync('stock/src/**/*.java', { cwd: home })], {
    cwd: home,
    env: ENV,
    timeout: TIMEOUT_MS,
  })
  return classes
}

function placeOf({ id, cause: { file, line, lines = 1 } }: Recipe, home: string): Crash['gold_lines'][number] {
  const found = readFileSync(join(home, file), 'utf8')
    .split('\n')
    .flatMap((text, i) => (text.includes(line) ? [i + 1] : []))
  if (found.length !== 1) throw new Error(`${id}: ${found.length} lines of ${file} hold ${line}.`)
  const [start = 0] = found
  return { file, start, end: start + lines - 1 }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/**
 * Copies the programs to `folder` and crashes them. With the same runtimes, traces differ only in the folder and in
 * addresses that Perl prints.
 *
 * @param only - The ids of the wanted crashes; all when left out.
 */
export function makeOwnCrashes(folder: string, { only }: { only?: readonly string[] } = {}): OwnCrashes {
  const home = join(folder, 'shop')
  cpSync(PROGRAMS, home, { recursive: true, filter: path => !path.endsWith(RECIPES) })
  const files = globSync('**/*.*', { cwd: home })
    .sort()
    .flatMap(path => sourceOf(home, path))
  const recipes = (JSON.parse(readFileSync(join(PROGRAMS, RECIPES), 'utf8')) as Recipe[]).filter(
    ({ id }) => only === undefined || only.includes(id),
  )
  const compile = once(() => compileJava(home, join(folder, 'classes')))
  const crashes: Crash[] = []
  const skipped: string[] = []
  for (const recipe of recipes) {
    const trace = runnable(recipe.command[0]) ? crash(recipe, home, compile) : null
    if (trace === null) skipped.push(`${recipe.id}: ${recipe.command[0]} is not installed`)
    else {
      crashes.push({
        id: recipe.id,
        repo: 'own',
        base_commit: '',
        trace,
        gold_files: [recipe.cause.file],
        gold_lines: [placeOf(recipe, home)],
      })
    }
  }
  return { files, crashes, skipped }
}
