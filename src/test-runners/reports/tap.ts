import { failureMessage, reportOf, testId, type TestReport, type TestResult } from './test-report.ts'

/** Spaces by which the points of a subtest stand further in. */
const INDENT = 4
/** Deeper subtests are left out; the point that closes them counts for them. */
const MAX_DEPTH = 32
const MAX_LINE_CHARS = 2_000
const VERSION = /^TAP version 1[34]\s*$/m
const PLAN = /^1\.\.\d{1,9}\b/m
const POINT = /^(not ok|ok)(?![\w-])(?:[ \t]+\d{1,9}(?!\w))?(.*)$/
const DIRECTIVE = /[ \t]#[ \t]*(?:skip|todo)/i
const COMMENT = /(?<!\\)#/
const YAML_MESSAGE = /^(?:error|message):(.*)$/

interface Point {
  name: string
  status: TestResult['status']
  message: string
  children: Point[]
}

/** Whether a text may be output in the Test Anything Protocol. */
const isTap = (text: string): boolean => VERSION.test(text) || (PLAN.test(text) && /^(?:not )?ok\b/m.test(text))

function pointIn(text: string): Point | null {
  const [, word, rest = ''] = POINT.exec(text) ?? []
  if (word === undefined) return null
  const comment = COMMENT.exec(rest)
  const said = comment === null ? rest : rest.slice(0, comment.index)
  const name = said.replace(/^[ \t]{0,10}(?:- )?/, '').replace(/\{\s*$/, '')
  const isLeftOut = DIRECTIVE.test(` ${rest.slice(comment?.index ?? rest.length)}`)
  const outcome = word === 'ok' ? 'passed' : 'failed'
  return {
    name: name.replaceAll('\\#', '#').trim(),
    status: isLeftOut ? 'skipped' : outcome,
    message: '',
    children: [],
  }
}

const indentOf = (text: string): number => text.length - text.trimStart().length

/** The points that stand at the left, each with those of its subtests. */
class Reader {
  readonly #open: Point[][] = [[]]
  /** Points whose subtests follow between braces, by depth. */
  readonly #braces = new Map<number, Point>()
  #last: Point | null = null
  /** Where a block of YAML begins; null outside of one. */
  #yaml: number | null = null
  #takesMessage = false

  get points(): Point[] {
    return this.#open[0] ?? []
  }

  add(line: string): void {
    const indent = indentOf(line)
    const text = line.slice(indent, indent + MAX_LINE_CHARS).trimEnd()
    if (this.#yaml === null) this.#addLine(text, indent)
    else this.#addYaml(text, indent, this.#yaml)
  }

  #addYaml(text: string, indent: number, start: number): void {
    if (text === '...' && indent <= start) {
      this.#yaml = null
      return
    }
    if (this.#last === null || this.#last.message !== '') return
    const said = this.#takesMessage ? text : YAML_MESSAGE.exec(text)?.[1]?.trim()
    if (said === undefined) return
    this.#takesMessage = /^[|>][+-]?$/.test(said) || said === ''
    if (!this.#takesMessage) this.#last.message = said.replace(/^(['"])(.*)\1$/, '$2')
  }

  #addLine(text: string, indent: number): void {
    if (text === '---' && this.#last !== null) {
      this.#yaml = indent
      this.#takesMessage = false
      return
    }
    const depth = indent / INDENT
    if (!Number.isInteger(depth) || depth > MAX_DEPTH) return
    if (text === '}') this.#close(depth)
    const point = pointIn(text)
    if (point === null) return
    this.#last = point
    point.children = this.#takeBelow(depth)
    ;(this.#open[depth] ??= []).push(point)
    if (/\{\s*$/.test(text)) this.#braces.set(depth, point)
  }

  #close(depth: number): void {
    const point = this.#braces.get(depth)
    if (point === undefined) return
    point.children.push(...this.#takeBelow(depth))
    this.#braces.delete(depth)
  }

  #takeBelow(depth: number): Point[] {
    const below = this.#open[depth + 1] ?? []
    if (this.#open.length > depth + 1) this.#open.length = depth + 1
    return below
  }
}

/** Tests, not suites: a point with subtests counts only where it failed by itself. */
function* testsOf(points: readonly Point[], above: readonly string[]): Generator<TestResult> {
  for (const { name, status, message, children } of points) {
    const parts = [...above, name]
    yield* testsOf(children, parts)
    const isSuite = children.length > 0
    if (isSuite && (status !== 'failed' || children.some(child => child.status === 'failed'))) continue
    yield { id: testId(parts), status, message: failureMessage(message) }
  }
}

/**
 * Reads the Test Anything Protocol, versions 13 and 14, with subtests: what node --test, tap and many others print.
 * The diagnostics are looked at for their message alone; their YAML is not evaluated.
 *
 * @returns Null for what is none.
 */
export function readTap(text: string): TestReport | null {
  if (!isTap(text)) return null
  const reader = new Reader()
  for (const line of text.split('\n')) reader.add(line)
  return reader.points.length === 0 ? null : reportOf(testsOf(reader.points, []))
}
