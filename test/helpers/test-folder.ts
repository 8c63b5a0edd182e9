import type { Test } from 'tap'

/**
 * A folder that is deleted after the teardowns of the test. tap runs the two in the order in which they were first
 * asked for, last one first: with a plain `t.testdir()` before `t.teardown()` the folder goes away below services that
 * are still open.
 */
export function testFolder(t: Test): string {
  t.teardown(() => {})
  return t.testdir()
}
