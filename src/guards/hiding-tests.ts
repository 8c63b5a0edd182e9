import type { Guard } from '../contract/guards.ts'
import { baseName } from '../core/path-names.ts'
import { OPEN_PAREN, STRING, WORD } from '../outline/lexis/tokens.ts'
import type { ChangedFile, FileKinds } from './guard.ts'
import { wordAt, type Source } from './source.ts'
import { readTests, testChanges, type ChangedTests, type TestChange } from './test-changes.ts'

/** A test that says less than it did, and the files that would have to be as they were for it to say the same. */
export interface HidingTest {
  guard: Guard
  paths: string[]
}

/** Shorter names are in too many texts to mean one thing. */
const MIN_NAME_CHARS = 3
/** More between parentheses are no parameters, as in a file of one line. */
const MAX_PARAMETER_TOKENS = 500
const CONSTANT = /^[A-Z][A-Z\d_]+$/
const QUOTES = /^[rbfuRBFU]{0,2}["'`]{1,3}|["'`]{1,3}$/g
/** What stands among parameters and names none. */
const NO_PARAMETER =
  /^(?:self|cls|this|null|undefined|true|false|None|True|False|int|str|string|number|boolean|bool|float|any|unknown|void|const|final|let|mut|async|await|function)$/

const plain = (word: string): string => word.replace(QUOTES, '')

/** The words between the parentheses on the line of a definition. */
function parametersOn(source: Source, line: number): string[] {
  const { tokens } = source
  let open = tokens.firstOf(line)
  while (open >= 0 && open < tokens.count && tokens.line(open) === line && tokens.kind(open) !== OPEN_PAREN) open++
  if (open < 0 || tokens.kind(open) !== OPEN_PAREN || tokens.line(open) !== line) return []
  const names: string[] = []
  const end = Math.min(tokens.pair(open), open + MAX_PARAMETER_TOKENS)
  for (let at = open + 1; at < end; at++) {
    if (tokens.kind(at) === WORD && !NO_PARAMETER.test(wordAt(source, at))) names.push(wordAt(source, at))
  }
  return names
}

/** Names by which tests may know what a file has: definitions, their parameters, constants, strings. */
function namesIn(source: Source): string[] {
  const { tokens, words, outline } = source
  const lines = new Set(outline.scopes.map(({ startLine }) => startLine))
  const parameters = [...lines].flatMap(line => parametersOn(source, line))
  const defined = [...outline.scopes.map(({ name }) => name), ...parameters]
  const others = words.filter((word, at) => tokens.kind(at) === STRING || CONSTANT.test(word)).map(plain)
  return [...defined, ...others]
}

/** A file that is gone is known by its name, in any language. */
const stemOf = (path: string): string => baseName(path).replace(/\.\w+$/, '')

/** Names of the code that a change takes out of all files that it touches. */
function removedNames(files: readonly ChangedFile[], reads: readonly ChangedTests[]): Set<string> {
  const code = reads.filter(({ isTest }) => !isTest)
  const left = new Set(code.flatMap(({ after }) => after?.words.map(plain) ?? []))
  const gone = files.filter(({ after }, index) => after === null && reads[index]?.isTest === false)
  const names = [...code.flatMap(({ before }) => (before === null ? [] : namesIn(before)))]
  const all = [...names, ...gone.map(({ path }) => stemOf(path))]
  return new Set(all.filter(name => name.length >= MIN_NAME_CHARS && !left.has(name)))
}

function isHiding({ guard, lost, fresh }: TestChange, removed: ReadonlySet<string>): boolean {
  if (guard.kind === 'skipped_test') return true
  const mentions = (text: string): boolean => text.split(' ').some(word => removed.has(plain(word)))
  return lost.filter(text => !mentions(text)).length > fresh
}

/**
 * What a change does to tests that can hide a failure. A test that expects another value is how a change of behaviour
 * looks; a test, or an assertion, that names code which the same change removes goes with that code. Neither is among
 * them, though both are guards.
 */
export function hidingTests(files: readonly ChangedFile[], kinds: FileKinds): HidingTest[] {
  const reads = files.map(file => readTests(file, kinds))
  const removed = removedNames(files, reads)
  return testChanges(reads)
    .filter(change => isHiding(change, removed))
    .map(({ guard, from }) => ({ guard, paths: [...new Set([guard.path, from])] }))
}
