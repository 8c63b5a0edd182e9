import type { Guard } from '../contract/guards.ts'
import { loosened } from './loosened.ts'
import type { Source } from './source.ts'
import { fileSkips, testCases, type Assertion, type TestCase } from './test-cases.ts'

/** A test file before and after a change. */
export interface ChangedTests {
  path: string
  isTest: boolean
  before: Source | null
  after: Source | null
}

interface NamedCase extends TestCase {
  path: string
}

/** More tests of one name, or more renamed ones, are not compared with each other. */
const MAX_ALIKE = 300

/** Test cases of all files by name; those of one name in their order. */
function byName(cases: readonly NamedCase[]): Map<string, NamedCase[]> {
  const map = new Map<string, NamedCase[]>()
  for (const one of cases) {
    const same = map.get(one.name)
    if (same === undefined) map.set(one.name, [one])
    else same.push(one)
  }
  return map
}

const casesOf = (files: readonly ChangedTests[], side: 'before' | 'after'): NamedCase[] =>
  files.flatMap(file => {
    const source = file[side]
    return source === null ? [] : testCases(source, file.isTest).map(one => ({ ...one, path: file.path }))
  })

/** Assertions of one list that another has less often. */
function without(list: readonly Assertion[], other: readonly Assertion[]): Assertion[] {
  const counts = new Map<string, number>()
  for (const { text } of other) counts.set(text, (counts.get(text) ?? 0) + 1)
  return list.filter(({ text }) => {
    const left = counts.get(text) ?? 0
    counts.set(text, left - 1)
    return left <= 0
  })
}

/** Whether two tests hold mostly the same to be true: one that was renamed or moved. */
function isSameTest(before: NamedCase, after: NamedCase): boolean {
  const common = before.assertions.length - without(before.assertions, after.assertions).length
  return before.assertions.length > 0 && common * 2 >= before.assertions.length
}

function skipsOf(before: NamedCase, after: NamedCase): Guard[] {
  if (after.skip === null || before.skip !== null) return []
  const what = after.isGroup ? 'The tests of' : 'The test'
  return [
    {
      path: after.path,
      line: after.line,
      kind: 'skipped_test',
      detail: `${what} ${after.name} ran before the change and is kept from it now (${after.skip}).`,
    },
  ]
}

function weakenings(before: NamedCase, after: NamedCase): Guard[] {
  const lost = without(before.assertions, after.assertions)
  const fresh = without(after.assertions, before.assertions)
  const guard = (line: number, detail: string): Guard => ({ path: after.path, line, kind: 'weakened_test', detail })
  if (lost.length > fresh.length) {
    const count = lost.length - fresh.length
    const many = count === 1 ? 'an assertion' : `${count} assertions`
    return [guard(after.line, `The test ${after.name} lost ${many}.`)]
  }
  return lost.flatMap((old, index) => {
    const now = fresh[index]
    const why = now === undefined ? null : loosened(old.text, now.text)
    return now === undefined || why === null ? [] : [guard(now.line, `An assertion of ${after.name} ${why}.`)]
  })
}

function deletions(gone: readonly NamedCase[], added: readonly NamedCase[]): Guard[] {
  const left = added.slice(0, MAX_ALIKE)
  return gone.slice(0, MAX_ALIKE).flatMap((before): Guard[] => {
    const at = left.findIndex(after => isSameTest(before, after))
    const [renamed] = at === -1 ? [] : left.splice(at, 1)
    if (renamed !== undefined) return [...skipsOf(before, renamed), ...weakenings(before, renamed)]
    return [
      { path: before.path, line: before.line, kind: 'deleted_test', detail: `The test ${before.name} was deleted.` },
    ]
  })
}

/** Skips of whole files that are new. */
function newFileSkips({ path, isTest, before, after }: ChangedTests): Guard[] {
  if (before === null || after === null) return []
  const known = new Set(fileSkips(before, isTest).map(({ text }) => text))
  return fileSkips(after, isTest)
    .filter(({ text }) => !known.has(text))
    .map(({ line }) => ({ path, line, kind: 'skipped_test', detail: 'All tests of the file are kept from running.' }))
}

/** What a change does to tests that were there before; a new one that is skipped or says little weakens nothing. */
export function testChanges(files: readonly ChangedTests[]): Guard[] {
  const after = byName(casesOf(files, 'after'))
  const guards: Guard[] = []
  const gone: NamedCase[] = []
  for (const [name, cases] of byName(casesOf(files, 'before'))) {
    const now = [...(after.get(name) ?? [])]
    for (const before of cases.slice(0, MAX_ALIKE)) {
      const [same] = now.splice(Math.max(0, cases.length === 1 ? 0 : now.findIndex(one => isSameTest(before, one))), 1)
      if (same !== undefined) guards.push(...skipsOf(before, same), ...weakenings(before, same))
      else if (!before.isGroup) gone.push(before)
    }
    after.set(name, now)
  }
  const added = [...after.values()].flat()
  return [...guards, ...deletions(gone, added), ...files.flatMap(newFileSkips)]
}
