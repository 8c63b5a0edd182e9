import type { Guard } from '../contract/guards.ts'
import type { ChangedFile, FileKinds } from './guard.ts'
import { loosened, OTHER_VALUE } from './loosened.ts'
import { joined, readSource, type Source } from './source.ts'
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
  source: Source
}

/** What a change does to a test that was there before. */
export interface TestChange {
  guard: Guard
  /** The file in which the test stood. */
  from: string
  /** What was held to be true and is not any more, its tokens with a space between them. */
  lost: string[]
  /** How many assertions are new, in place of lost ones. */
  fresh: number
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

/** Reads a file on both sides. */
export function readTests({ path, before, after }: ChangedFile, { languageOf, isTest }: FileKinds): ChangedTests {
  const language = languageOf(path)
  const read = (text: string | null): Source | null => (text === null ? null : readSource(text, language))
  return { path, isTest: isTest(path), before: read(before), after: read(after) }
}

const casesOf = (files: readonly ChangedTests[], side: 'before' | 'after'): NamedCase[] =>
  files.flatMap(file => {
    const source = file[side]
    return source === null ? [] : testCases(source, file.isTest).map(one => ({ ...one, path: file.path, source }))
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

function skipsOf(before: NamedCase, after: NamedCase): TestChange[] {
  if (after.skip === null || before.skip !== null) return []
  const what = after.isGroup ? 'The tests of' : 'The test'
  const detail = `${what} ${after.name} ran before the change and is kept from it now (${after.skip}).`
  const guard: Guard = { path: after.path, line: after.line, kind: 'skipped_test', detail }
  return [{ guard, from: before.path, lost: [], fresh: 0 }]
}

function weakenings(before: NamedCase, after: NamedCase): TestChange[] {
  const gone = without(before.assertions, after.assertions)
  const fresh = without(after.assertions, before.assertions)
  const change = (line: number, detail: string, lost: string[], more = 0): TestChange => ({
    guard: { path: after.path, line, kind: 'weakened_test', detail },
    from: before.path,
    lost,
    fresh: more,
  })
  if (gone.length > fresh.length) {
    const count = gone.length - fresh.length
    const many = count === 1 ? 'an assertion' : `${count} assertions`
    const texts = gone.map(({ text }) => text)
    return [change(after.line, `The test ${after.name} lost ${many}.`, texts, fresh.length)]
  }
  return gone.flatMap((old, index) => {
    const now = fresh[index]
    const why = now === undefined ? null : loosened(old.text, now.text)
    if (now === undefined || why === null) return []
    return [change(now.line, `An assertion of ${after.name} ${why}.`, why === OTHER_VALUE ? [] : [old.text])]
  })
}

function deletionOf({ path, line, name, source, range }: NamedCase): TestChange {
  const guard: Guard = { path, line, kind: 'deleted_test', detail: `The test ${name} was deleted.` }
  return { guard, from: path, lost: [joined(source, range)], fresh: 0 }
}

function deletions(gone: readonly NamedCase[], added: readonly NamedCase[]): TestChange[] {
  const left = added.slice(0, MAX_ALIKE)
  return gone.slice(0, MAX_ALIKE).flatMap((before): TestChange[] => {
    const at = left.findIndex(after => isSameTest(before, after))
    const [renamed] = at === -1 ? [] : left.splice(at, 1)
    if (renamed !== undefined) return [...skipsOf(before, renamed), ...weakenings(before, renamed)]
    return [deletionOf(before)]
  })
}

/** Skips of whole files that are new. */
function newFileSkips({ path, isTest, before, after }: ChangedTests): TestChange[] {
  if (before === null || after === null) return []
  const known = new Set(fileSkips(before, isTest).map(({ text }) => text))
  return fileSkips(after, isTest)
    .filter(({ text }) => !known.has(text))
    .map(({ line }) => ({
      guard: { path, line, kind: 'skipped_test', detail: 'All tests of the file are kept from running.' },
      from: path,
      lost: [],
      fresh: 0,
    }))
}

/** What a change does to tests that were there before; a new one that is skipped or says little weakens nothing. */
export function testChanges(files: readonly ChangedTests[]): TestChange[] {
  const after = byName(casesOf(files, 'after'))
  const changes: TestChange[] = []
  const gone: NamedCase[] = []
  for (const [name, cases] of byName(casesOf(files, 'before'))) {
    const now = [...(after.get(name) ?? [])]
    for (const before of cases.slice(0, MAX_ALIKE)) {
      const [same] = now.splice(Math.max(0, cases.length === 1 ? 0 : now.findIndex(one => isSameTest(before, one))), 1)
      if (same !== undefined) changes.push(...skipsOf(before, same), ...weakenings(before, same))
      else if (!before.isGroup) gone.push(before)
    }
    after.set(name, now)
  }
  const added = [...after.values()].flat()
  return [...changes, ...deletions(gone, added), ...files.flatMap(newFileSkips)]
}
