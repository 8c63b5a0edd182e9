import { isObject } from '../../core/is-object.ts'
import { failureMessage, reportOf, testId, type TestReport, type TestResult } from './test-report.ts'

const MAX_OUTPUT_CHARS = 4_000
const MAX_NAMES = 100_000
const STATUSES = new Map<unknown, TestResult['status']>([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])
/** What go prints around a test's own words. */
const FRAMING = /^(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:FAIL|PASS|SKIP):|\s+--- FAIL:)/

interface GoEvent {
  action: string
  goPackage: string
  test: string
  output: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** One line of `go test -json`; null for any other line. */
function eventIn(line: string): GoEvent | null {
  if (!line.startsWith('{"')) return null
  try {
    const event: unknown = JSON.parse(line)
    if (!isObject(event) || typeof event.Action !== 'string') return null
    const [goPackage, test, output] = [event.Package ?? event.ImportPath, event.Test, event.Output].map(textOf)
    return { action: event.Action, goPackage: goPackage ?? '', test: test ?? '', output: output ?? '' }
  } catch {
    return null
  }
}

/** Whether a text holds lines of `go test -json`. */
const isGoJson = (text: string): boolean => /^\{"(?:Time":"[^"]{0,40}","Action|Action|ImportPath)"/m.test(text)

/** What `go test -json` printed as text again: the output of the tests without the events around it. */
export function goOutput(text: string): string {
  if (!isGoJson(text)) return text
  return text
    .split('\n')
    .map(line => {
      const event = eventIn(line)
      return event === null ? `${line}\n` : event.output
    })
    .join('')
}

/** Package and test as one name in which `/` stands before subtests, and before the test itself. */
const nameIn = ({ goPackage, test }: { goPackage: string; test: string }): string => {
  const name = goPackage.replaceAll('/', '\\')
  return test === '' ? name : `${name}/${test}`
}

/** The names of tests and subtests that have subtests. */
function parentsOf(tests: Iterable<string>): Set<string> {
  const parents = new Set<string>()
  for (const test of tests) {
    for (let at = test.indexOf('/'); at >= 0; at = test.indexOf('/', at + 1)) {
      if (parents.size < MAX_NAMES) parents.add(test.slice(0, at))
    }
  }
  return parents
}

/**
 * Reads the events of `go test -json`. A test with subtests counts only where it failed by itself, and a package where
 * it failed without a failed test: it does not compile.
 *
 * @returns Null where there is no event.
 */
export function readGoJson(text: string): TestReport | null {
  if (!isGoJson(text)) return null
  const ended = new Map<string, { goPackage: string; test: string; status: TestResult['status'] }>()
  const outputs = new Map<string, string>()
  for (const line of text.split('\n')) {
    const event = eventIn(line)
    if (event === null) continue
    const { goPackage, test, output } = event
    const key = `${goPackage}\0${test}`
    const status = STATUSES.get(event.action)
    if (status !== undefined) ended.set(key, { goPackage, test, status })
    const soFar = outputs.get(key) ?? ''
    if (output !== '' && !FRAMING.test(output) && soFar.length < MAX_OUTPUT_CHARS) outputs.set(key, soFar + output)
  }
  const all = [...ended].map(([key, end]) => ({ ...end, key }))
  const failedBelow = parentsOf(all.filter(({ status }) => status === 'failed').map(nameIn))
  const parents = parentsOf(all.map(nameIn))
  const results = all
    .filter(end => {
      const name = nameIn(end)
      if (end.test === '') return end.status === 'failed' && !failedBelow.has(end.goPackage.replaceAll('/', '\\'))
      return !parents.has(name) || (end.status === 'failed' && !failedBelow.has(name))
    })
    .map(({ goPackage, test, status, key }) => ({
      id: testId([goPackage, test]),
      status,
      message: failureMessage(outputs.get(key) ?? ''),
    }))
  return all.length === 0 ? null : reportOf(results)
}
