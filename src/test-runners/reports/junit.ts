import { SaxesParser } from 'saxes'
import { failureMessage, reportOf, testId, type TestReport, type TestResult } from './test-report.ts'

/** Suites around a test that are part of its id; a hostile report nests a million. */
const MAX_SUITES = 10
const MAX_TEXT_CHARS = 2_000
const BEGINNING = /^\uFEFF?\s{0,1000}<(?:\?xml|testsuites?)\b/
/** Classes that runners write where there is none: node --test. */
const NO_CLASS = new Set(['', 'test'])

interface OpenTest {
  id: string
  status: TestResult['status']
  message: string
}

function openTest(attributes: Readonly<Record<string, string>>, suites: readonly string[]): OpenTest {
  const { name = '', classname = '', file = '' } = attributes
  const place = NO_CLASS.has(classname) ? suites.slice(-MAX_SUITES) : [classname]
  return { id: testId([file, ...place, name]), status: 'passed', message: '' }
}

/** Whether a text may be a report in JUnit's XML. */
const isJUnit = (text: string): boolean => BEGINNING.test(text)

/**
 * Reads the XML that JUnit's ant task wrote first, and that pytest, node --test, surefire, gradle, PHPUnit, vitest,
 * mocha (xunit) and go-junit-report write. Entities of the text itself are not expanded, and no other file is read:
 * the parser knows the five of XML and character references alone.
 *
 * @returns Null for what is no such report, and for one that is cut off or malformed.
 */
export function readJUnit(text: string): TestReport | null {
  if (!isJUnit(text)) return null
  const results: TestResult[] = []
  const suites: string[] = []
  let test: OpenTest | null = null
  let inFailure = false
  let isReport = false

  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testsuites') isReport = true
    if (name === 'testsuite') {
      isReport = true
      suites.push(attributes.name ?? '')
    }
    if (name === 'testcase') test = openTest(attributes, suites)
    if (test === null) return
    if (name === 'skipped' && test.status === 'passed') test.status = 'skipped'
    if (name === 'failure' || name === 'error') {
      test.status = 'failed'
      test.message = attributes.message ?? ''
      inFailure = test.message === ''
    }
  })
  const addText = (more: string): void => {
    if (test !== null && inFailure && test.message.length < MAX_TEXT_CHARS) {
      test.message += more.slice(0, MAX_TEXT_CHARS)
    }
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', ({ name }) => {
    if (name === 'testsuite') suites.pop()
    if (name === 'failure' || name === 'error') inFailure = false
    if (name !== 'testcase' || test === null) return
    results.push({ ...test, message: failureMessage(test.message) })
    test = null
  })
  try {
    parser.write(text).close()
  } catch {
    return null // malformed, or cut off when its program was killed: what is missing would count as not run
  }
  return isReport ? reportOf(results) : null
}
