import { isUnsafePath } from '../core/file-names.ts'
import { baseName } from '../core/path-names.ts'
import { isTestFile } from '../core/test-files.ts'
import type { Runner } from './test-command.ts'

/** A test that a trace names. Every part is that of a file of the commit, or of a strict alphabet. */
export interface NamedTest {
  /** A file of the commit; '' where the name alone is known, which is enough for some runners. */
  file: string
  /** Classes, suites and the test, outermost first; empty where the file alone is known. */
  names: string[]
  /** The line of it in the file, where the trace says it. */
  line: number | null
}

/** A place that a trace names, with its file as the commit has it. */
export interface TracePlace {
  path: string
  function: string | null
  line: number | null
}

/** The files of the commit that the trace is compared with. */
interface CommitTexts {
  paths: () => Promise<readonly string[]>
  read: (path: string) => Promise<string | null>
}

/** What a trace says, before anything of it was compared with the commit. */
interface Claim {
  file: string | null
  names: string[]
  line: number | null
}

const MAX_LINES = 20_000
const MAX_LINE_CHARS = 1_000
const MAX_CLAIMS = 50
const WORD = /^[\p{L}_][\p{L}\p{N}_]{0,200}$/u

/** What each runner prints of a test that failed; the groups are `file`, `name` and `line`. */
const SAYINGS: Partial<Record<Runner, ReadonlyArray<readonly [RegExp, string]>>> = {
  pytest: [[/^(?:FAILED|ERROR) (?<file>[^\s:]+)::(?<name>[\w:]+)/, '::']],
  unittest: [[/^(?:FAIL|ERROR): (?<name>\w+) \((?<place>[\w.]+)\)$/, '.']],
  go: [[/^\s{0,40}--- FAIL: (?<name>Test\w*)/, '/']],
  cargo: [
    [/^test (?<name>\w+(?:::\w+)*) \.\.\. FAILED/, '::'],
    [/^---- (?<name>\w+(?:::\w+)*) stdout ----/, '::'],
    [/^thread '(?<name>\w+(?:::\w+)*)' (?:\(\d+\) )?panicked at/, '::'],
  ],
  jest: [[/^ {2}● (?<name>\S.*)$/, ' › ']],
  vitest: [[/^ {0,8}(?:FAIL|×) {1,4}(?<file>[^\s>]+) > (?<name>\S.*)$/, ' > ']],
  node: [
    [/^\s{0,40}✖ (?<name>\S.*?)(?: \(\d[\d.]*ms\))?$/, '\0'],
    [/^\s{0,40}not ok \d{1,9} - (?<name>\S.*)$/, '\0'],
  ],
  mocha: [[/^ {4,40}(?<name>\S.*):$/, '\0']],
  rspec: [[/^rspec (?<file>\S+):(?<line>\d{1,7})(?= |$)/, '\0']],
  phpunit: [[/^\d{1,6}\) (?<name>[\w\\]+::\w+)/, '::']],
  maven: [[/^\[ERROR\] {1,4}(?<name>[\w.$]+\.\w+)(?::\d+| -- | Time)/, '.']],
  gradle: [[/^(?<name>[\w.$]+ > \w+)(?:\(\))? FAILED/, ' > ']],
}
/** Runners of classes, one a file, with the endings of those. */
const CLASSES: ReadonlyMap<Runner, RegExp> = new Map([
  ['maven', /\.(?:java|kt|groovy|scala)$/],
  ['gradle', /\.(?:java|kt|groovy|scala)$/],
  ['phpunit', /\.php$/],
])
/** Runners that find a test by its name in any file. */
const BY_NAME: ReadonlySet<Runner> = new Set(['go', 'cargo'])
const NAMES_IN_WORDS: ReadonlySet<Runner> = new Set(['jest', 'vitest', 'mocha', 'node', 'tap'])

/** The file of the commit that a path of the trace means; null where none or more than one may be meant. */
function fileFor(given: string, paths: readonly string[]): string | null {
  const wanted = given.replaceAll('\\', '/').replace(/^(?:file:\/\/)?(?:\.\/)?/, '')
  if (paths.includes(wanted)) return wanted
  const ends = paths.filter(path => wanted.endsWith(`/${path}`))
  return ends.sort((a, b) => b.length - a.length)[0] ?? null
}

function claimIn(line: string, [pattern, separator]: readonly [RegExp, string]): Claim | null {
  const groups = pattern.exec(line)?.groups
  if (groups === undefined) return null
  const { file = null, name = '', place = '', line: at } = groups
  const isWhole = place === '' || place.endsWith(`.${name}`)
  const whole = isWhole ? place : `${place}.${name}`
  const names = (whole === '' ? name : whole).split(separator).filter(part => part !== '')
  return { file, names, line: at === undefined ? null : Number(at) }
}

function claimsOf(text: string, runner: Runner): Claim[] {
  const claims: Claim[] = []
  const sayings = SAYINGS[runner] ?? []
  for (const line of text.split('\n', MAX_LINES)) {
    if (claims.length >= MAX_CLAIMS) break
    claims.push(...sayings.flatMap(saying => claimIn(line.slice(0, MAX_LINE_CHARS), saying) ?? []))
  }
  return claims
}

const isIndented = (line: string): boolean => /^\s/.test(line)

const CLASS = /^class (?<name>[\p{L}_][\p{L}\p{N}_]{0,200})/u

/** The class around a function of Python, by indentation, and the function; nothing where it is not there. */
function pythonNames(text: string, name: string): string[] {
  const lines = text.split('\n').map(line => line.slice(0, MAX_LINE_CHARS))
  const at = lines.findIndex(line =>
    line
      .trim()
      .replace(/^async /, '')
      .startsWith(`def ${name}(`),
  )
  if (at < 0) return []
  if (!isIndented(lines[at] ?? '')) return [name]
  const header = lines.slice(0, at).findLast(line => CLASS.test(line)) ?? ''
  const outer = CLASS.exec(header)?.groups?.name
  return outer === undefined ? [] : [outer, name]
}

const lastPart = (name: string): string => name.split(/[.:#\\/$]+/).at(-1) ?? ''

/** What a frame in a file of tests says. */
async function frameClaim(
  { path, function: of, line }: TracePlace,
  runner: Runner,
  { read }: CommitTexts,
): Promise<Claim> {
  const name = lastPart(of ?? '')
  const isPython = runner === 'pytest' || runner === 'unittest'
  if (isPython && name.startsWith('test') && WORD.test(name)) {
    return { file: path, names: pythonNames((await read(path)) ?? '', name), line }
  }
  if (runner === 'go' && /^Test\w*$/.test(name)) return { file: path, names: [name], line }
  return { file: path, names: CLASSES.has(runner) && WORD.test(name) ? [name] : [], line }
}

/** The names of a claim that hold: words that stand in the file, or parts of a strict alphabet. */
function namesThatHold(names: readonly string[], text: string, runner: Runner): string[] {
  if (NAMES_IN_WORDS.has(runner)) {
    // eslint-disable-next-line no-control-regex -- no such name is in a file
    return names.every(name => !/[\u0000-\u001F]/.test(name) && text.includes(name)) ? [...names] : []
  }
  return names.every(name => WORD.test(name)) ? [...names] : []
}

/** The file of tests that holds a name, among those that the trace names. */
async function fileWith(
  names: readonly string[],
  files: readonly string[],
  { read }: CommitTexts,
): Promise<string | null> {
  const name = names.at(-1)
  if (name === undefined) return null
  for (const file of files) {
    const text = await read(file)
    if (text?.includes(name) === true) return file
  }
  return null
}

const stem = (path: string): string => baseName(path).replace(/\.\w+$/, '')

/** What is left of a claim when its file is known. */
type Placed = Pick<NamedTest, 'file' | 'names'>

/** Names of the JVM and of PHP begin with the class, whose file has its name. */
function inClassFile(names: readonly string[], paths: readonly string[]): Placed | null {
  const name = names
    .slice(0, -1)
    .flatMap(part => part.split(/[.\\]/))
    .at(-1)
  const [file, ...others] = paths.filter(path => isTestFile(path) && stem(path) === name)
  return file === undefined || others.length > 0 ? null : { file, names: names.slice(-1) }
}

/** `tests.test_x.Case.test_y` as a file with what follows its module. */
function inModule(names: readonly string[], paths: readonly string[]): Placed | null {
  for (let length = names.length - 1; length > 0; length--) {
    const file = `${names.slice(0, length).join('/')}.py`
    if (paths.includes(file)) return { file, names: names.slice(length) }
  }
  return null
}

interface Known {
  runner: Runner
  /** Those of tests that frames lie in. */
  files: readonly string[]
  commit: CommitTexts
}

/** The file of the commit that a claim is about. */
async function placed({ file, names }: Claim, { runner, files, commit }: Known): Promise<Placed | null> {
  const paths = await commit.paths()
  if (file !== null) {
    const found = fileFor(file, paths)
    return found === null ? null : { file: found, names: [...names] }
  }
  const byName = runner === 'unittest' ? inModule(names, paths) : null
  const ending = CLASSES.get(runner)
  const ofRunner = ending === undefined ? [] : paths.filter(path => ending.test(path))
  const byClass = inClassFile(names, ofRunner)
  if (byName !== null || byClass !== null) return byName ?? byClass
  const found = await fileWith(names, files, commit)
  if (found === null && !BY_NAME.has(runner)) return null
  return { file: found ?? '', names: [...names] }
}

async function checked(claim: Claim, known: Known): Promise<NamedTest | null> {
  const { runner, commit } = known
  const place = await placed(claim, known)
  if (place === null || (place.file !== '' && isUnsafePath(place.file))) return null
  const text = place.file === '' ? null : await commit.read(place.file)
  const names = namesThatHold(place.names, text ?? '', runner)
  return claim.names.length > 0 && names.length === 0 ? null : { file: place.file, names, line: claim.line }
}

/**
 * The failing test that a trace names: by what its runner prints of failed tests, else by the innermost frame in a file
 * of tests. The trace is hostile: what it says counts only as far as a file of the commit has it.
 *
 * @returns Null where it names none that the commit has.
 */
export async function namedTest(
  trace: { text: string; places: readonly TracePlace[] },
  runner: Runner,
  commit: CommitTexts,
): Promise<NamedTest | null> {
  const inTests = trace.places.filter(({ path }) => isTestFile(path))
  const files = [...new Set(inTests.map(({ path }) => path))]
  const known = { runner, files, commit }
  const claims = claimsOf(trace.text, runner)
  for (const claim of claims) {
    const test = await checked(claim, known)
    if (test !== null) return test
  }
  for (const place of [...inTests].reverse()) {
    const test = await checked(await frameClaim(place, runner, commit), known)
    if (test !== null) return test
  }
  return null
}
