import type { Guard } from '../contract/guards.ts'
import { isLockFileName } from '../core/file-names.ts'
import { isProtected } from '../edits/apply/protected-paths.ts'
import { droppedErrors } from './dropped-errors.ts'
import type { ChangedFile, FailingPlace, FileKinds, Finding, LineRange } from './guard.ts'
import { swallowingHandlers } from './handlers.ts'
import { mapLines, type LineMap } from './line-map.ts'
import { isAbsenceError } from './absence.ts'
import { nullChecks } from './null-checks.ts'
import { scopeAt, tokensOfLines, type Source } from './source.ts'
import { suppressions } from './suppressions.ts'
import { testCases } from './test-cases.ts'
import { readTests, testChanges, type ChangedTests } from './test-changes.ts'
import { raisedTimeouts } from './timeouts.ts'

/** More are no help to a reviewer. */
const MAX_GUARDS = 100
/** The most findings of one kind in one file: they are compared with each other. */
const MAX_FINDINGS = 2000

interface Read extends ChangedTests {
  /** The trace's line in the text before and what stands there now; null where it points elsewhere. */
  place: { before: LineRange; after: LineRange } | null
  map: LineMap | null
}

/** What the text after has beyond the one before; of equal things in one scope as many count as were there. */
function newOnes(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const left = before.slice(0, MAX_FINDINGS)
  const take = (matches: (old: Finding) => boolean): boolean => {
    const at = left.findIndex(matches)
    if (at !== -1) left.splice(at, 1)
    return at !== -1
  }
  const unknown = after.slice(0, MAX_FINDINGS).filter(({ signature }) => !take(old => old.signature === signature))
  return unknown.filter(({ scope, kind }) => kind === 'suppressed_check' || !take(old => old.scope === scope))
}

function readFile(file: ChangedFile, kinds: FileKinds, failing: FailingPlace | null): Read {
  const { path, before, after } = file
  const map = before === null || after === null ? null : mapLines(before, after)
  const isHere = failing !== null && failing.path === path && map !== null
  const place = isHere ? { before: { from: failing.line, to: failing.line }, after: map.placeOf(failing.line) } : null
  return { ...readTests(file, kinds), place, map }
}

const guardOf = (path: string, { line, kind, detail }: Finding): Guard => ({ path, line, kind, detail })

/** Whether a place of a test file stands in a test or a definition that was there before. */
function standsIn(before: Source, after: Source): (finding: Finding) => boolean {
  const names = new Set(testCases(before, true).map(({ name }) => name))
  const scopes = new Set(before.outline.scopes.map(({ startLine }) => scopeAt(before, startLine)))
  const cases = testCases(after, true)
  return ({ line, scope }) => {
    const at = tokensOfLines(after, { from: line, to: line }).from
    const around = cases.findLast(({ range, isGroup }) => !isGroup && range.from - 3 <= at && at <= range.to)
    return around === undefined ? scope === '' || scopes.has(scope) : names.has(around.name)
  }
}

/** The findings that count: what new tests try out hides no failure of the code. */
function counted({ before, after, isTest }: Read, findings: readonly Finding[]): Finding[] {
  if (!isTest || after === null) return [...findings]
  return before === null ? [] : findings.filter(standsIn(before, after))
}

function swallowedErrors(file: Read): Guard[] {
  const { path, before, after, place } = file
  if (after === null) return []
  const { before: then = null, after: now = null } = place ?? {}
  const old = before === null ? [] : [...swallowingHandlers(before, then), ...droppedErrors(before, null)]
  const fresh = [...swallowingHandlers(after, now), ...droppedErrors(after, before)]
  return counted(file, newOnes(old, fresh)).map(finding => guardOf(path, finding))
}

function missingValues({ path, before, after, place, map }: Read, failing: FailingPlace | null): Guard[] {
  if (failing === null || place === null || map === null || before === null || after === null) return []
  const isAbsence = isAbsenceError(failing.error)
  const { line: beforeLine } = failing
  return nullChecks({ isAbsence, before, beforeLine, after, afterLines: place.after, map }).map(finding =>
    guardOf(path, finding),
  )
}

function silencedChecks(file: Read): Guard[] {
  const { path, before, after } = file
  if (after === null) return []
  const old = before === null ? [] : suppressions(before)
  return counted(file, newOnes(old, suppressions(after))).map(finding => guardOf(path, finding))
}

const raised = ({ path, before, after }: Read): Guard[] =>
  before === null || after === null ? [] : raisedTimeouts(path, before, after)

function fileGuards({ path, before, after }: ChangedFile): Guard[] {
  if (before === after) return []
  if (isLockFileName(path)) return [{ path, line: 1, kind: 'lock_file', detail: 'The lock file was changed.' }]
  if (/\.snap$/.test(path) && before !== null) {
    return [{ path, line: 1, kind: 'weakened_test', detail: 'Recorded answers that tests compare with were changed.' }]
  }
  return isProtected(path)
    ? [{ path, line: 1, kind: 'ci_file', detail: 'A file was changed that decides what runs on other machines.' }]
    : []
}

function byPlace(a: Guard, b: Guard): number {
  if (a.path === b.path) return a.line - b.line
  return a.path < b.path ? -1 : 1
}

/**
 * Finds what of a change hides a failure instead of mending it. Pure, and linear in the texts but for what changed.
 * Only what the change adds counts; `docs/fixes-of-the-symptom.md` has the rules.
 *
 * @param files - All that the change touches.
 * @param failing - Where the trace points, in the texts before the change; null where it points at none of them.
 * @returns By path and line, at most 100.
 */
export function findGuards(files: readonly ChangedFile[], failing: FailingPlace | null, kinds: FileKinds): Guard[] {
  const reads = files.map(file => readFile(file, kinds, failing))
  const ofFiles = reads.flatMap(read => [
    ...swallowedErrors(read),
    ...missingValues(read, failing),
    ...silencedChecks(read),
    ...raised(read),
  ])
  const all = [...files.flatMap(fileGuards), ...ofFiles, ...testChanges(reads).map(({ guard }) => guard)]
  return all.sort(byPlace).slice(0, MAX_GUARDS)
}
