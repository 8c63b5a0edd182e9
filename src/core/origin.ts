import { infrastructureFailure, type InfrastructureFailure } from './infrastructure.ts'
import { areAlike } from './log-sketch.ts'

/** Where a fault of a CI run comes from. */
export type Origin = 'introduced' | 'existing' | 'flaky' | 'infrastructure' | 'unknown'

/** Where a fault comes from, and one sentence with the evidence. */
export interface ToldOrigin {
  origin: Origin
  originWhy: string
}

/** A run of CI that was posted before. */
interface EarlierRun {
  at: string
  commit: string
  fingerprints: readonly string[]
  sketch: readonly number[]
}

/** One fault of a log. */
interface Fault {
  /** Fingerprints of its exceptions. */
  fingerprints: readonly string[]
  /** Types and messages of its exceptions. */
  text: string
  /** Its frames in code of the project, the innermost last, at the commit that CI ran. */
  frames: ReadonlyArray<{ path: string; line: number }>
}

/** What is known of the run that failed. */
export interface RunEvidence {
  /** What the machine did, by the log as a whole. */
  failure: InfrastructureFailure | null
  /** Null where it was not told, or is not there. */
  commit: string | null
  base: string | null
  sketch: readonly number[]
  /** Newest first, without this one. */
  earlier: readonly EarlierRun[]
  /** The commits of earlier runs that come before the base, or are it. */
  onBase: ReadonlySet<string>
  /** Lines that changed since the base; null where that is not known. */
  changed: ReadonlyArray<{ path: string; startLine: number; endLine: number }> | null
  /** Where an answer to the same fault was kept that came before the base. */
  kept: ReadonlyArray<{ id: string; at: string; commit: string; fingerprint: string }>
}

const short = (commit: string): string => commit.slice(0, 12)

const told = (origin: Origin, originWhy: string): ToldOrigin => ({ origin, originWhy })

const has = ({ fingerprints }: { fingerprints: readonly string[] }, fault: Fault): boolean =>
  fault.fingerprints.some(fingerprint => fingerprints.includes(fingerprint))

/** What the machine did, as an origin. */
export const ofInfrastructure = ({ rule, what, line }: InfrastructureFailure): ToldOrigin =>
  told('infrastructure', `By the rule "${rule}" ${what}: the log says ${JSON.stringify(line)}.`)

/** The innermost frame of a fault on a line that changed. */
function touched(fault: Fault, changed: RunEvidence['changed']): { path: string; line: number } | undefined {
  return fault.frames.findLast(({ path, line }) =>
    changed?.some(range => range.path === path && range.startLine <= line && line <= range.endLine),
  )
}

/** The machine is at fault where the error says so itself, or where no code of the project has part in it. */
function byInfrastructure(fault: Fault, { failure }: RunEvidence): ToldOrigin | null {
  const own = infrastructureFailure(fault.text)
  if (own !== null) return ofInfrastructure(own)
  return failure === null || fault.frames.length > 0 ? null : ofInfrastructure(failure)
}

function byFlakiness(fault: Fault, { commit, sketch, earlier }: RunEvidence): ToldOrigin | null {
  if (commit === null) return null
  const without = earlier.find(run => run.commit === commit && areAlike(run.sketch, sketch) && !has(run, fault))
  if (without === undefined) return null
  return told('flaky', `The run of the same commit ${short(commit)} at ${without.at} did not have it.`)
}

/** The run of the base that did not have a fault. */
function cleanOnBase(fault: Fault, { base, earlier, sketch }: RunEvidence): EarlierRun | undefined {
  return earlier.find(run => run.commit === base && areAlike(run.sketch, sketch) && !has(run, fault))
}

/** A base that was clean whenever it ran had got rid of what came before. */
function wasMended(fault: Fault, evidence: RunEvidence): boolean {
  const { base, earlier } = evidence
  const hasNever = !earlier.some(run => run.commit === base && has(run, fault))
  return hasNever && cleanOnBase(fault, evidence) !== undefined
}

function byBase(fault: Fault, evidence: RunEvidence): ToldOrigin | null {
  if (wasMended(fault, evidence)) return null
  const { earlier, onBase, kept } = evidence
  const run = earlier.find(one => onBase.has(one.commit) && has(one, fault))
  if (run !== undefined) {
    return told('existing', `The run of commit ${short(run.commit)} at ${run.at}, before the change, had it, too.`)
  }
  const answer = kept.find(({ fingerprint }) => fault.fingerprints.includes(fingerprint))
  if (answer === undefined) return null
  return told('existing', `It was asked about at ${answer.at} at commit ${short(answer.commit)} (${answer.id}).`)
}

function byChange(fault: Fault, evidence: RunEvidence): ToldOrigin | null {
  const { base, changed } = evidence
  if (base === null) return null
  const frame = touched(fault, changed)
  if (frame !== undefined) {
    return told('introduced', `Its frame at ${frame.path}:${frame.line} is on a line changed since ${short(base)}.`)
  }
  const clean = cleanOnBase(fault, evidence)
  if (clean === undefined) return null
  return told('introduced', `The run of its base ${short(base)} at ${clean.at} did not have it.`)
}

function whyUnknown({ commit, base, changed }: RunEvidence): string {
  if (commit === null) return 'The commit that CI ran was not given, or cannot be read here.'
  if (base === null) return 'The base was not given, or cannot be read here, and no earlier run of the commit differs.'
  if (changed === null) return 'What changed since the base cannot be read here, and no earlier run tells.'
  return `None of its frames is on a line changed since ${short(base)}, and no earlier run tells.`
}

/** Where a fault of a CI run comes from, by the evidence that there is; the first that holds counts. */
export function originOf(fault: Fault, evidence: RunEvidence): ToldOrigin {
  return (
    byInfrastructure(fault, evidence) ??
    byFlakiness(fault, evidence) ??
    byBase(fault, evidence) ??
    byChange(fault, evidence) ??
    told('unknown', whyUnknown(evidence))
  )
}
