import { isObject } from '../../core/is-object.ts'
import { jsonObjectIn } from '../../core/json-object.ts'
import { failureMessage, reportOf, testId, type TestReport, type TestResult } from './test-report.ts'

const STATUSES = new Map<unknown, TestResult['status']>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['pending', 'skipped'],
  ['skipped', 'skipped'],
  ['todo', 'skipped'],
  ['disabled', 'skipped'],
])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Most texts are no JSON, and are not parsed. */
const parsed = (text: string): Record<string, unknown> | null =>
  text.trimStart().startsWith('{') ? jsonObjectIn(text) : null

/** The tests of one file in `jest --json`. A file that could not be loaded has none, and counts itself. */
function jestFile(file: unknown): TestResult[] {
  if (!isObject(file)) return []
  const name = textOf(file.name)
  const tests = listOf(file.assertionResults).flatMap(test => {
    const status = isObject(test) ? STATUSES.get(test.status) : undefined
    if (!isObject(test) || status === undefined) return []
    const suites = listOf(test.ancestorTitles).map(textOf)
    const message = failureMessage(textOf(listOf(test.failureMessages)[0]))
    return [{ id: testId([name, ...suites, textOf(test.title)]), status, message }]
  })
  const isBroken = tests.length === 0 && file.status === 'failed'
  return isBroken ? [{ id: testId([name]), status: 'failed', message: failureMessage(textOf(file.message)) }] : tests
}

function rspecExample(example: unknown): TestResult[] {
  const status = isObject(example) ? STATUSES.get(example.status) : undefined
  if (!isObject(example) || status === undefined) return []
  const message = isObject(example.exception) ? failureMessage(textOf(example.exception.message)) : ''
  const file = textOf(example.file_path).replace(/^\.\//, '')
  return [{ id: testId([file, textOf(example.full_description)]), status, message }]
}

/** Reads what `jest --json` and `rspec --format json` write; null for anything else. */
export function readRunnerJson(text: string): TestReport | null {
  const value = parsed(text)
  if (value === null) return null
  if (Array.isArray(value.testResults)) return reportOf(value.testResults.flatMap(jestFile))
  return Array.isArray(value.examples) ? reportOf(value.examples.flatMap(rspecExample)) : null
}
