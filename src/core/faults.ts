import type { ResolutionAnswer, ResolveInput } from '../contract/resolution.ts'
import { FaultlineError } from './errors.ts'

/** More faults of one log are counted, and not resolved. */
export const MAX_FAULTS = 20
/** To find out what faults there are, no context is needed; this is the least that there is. */
const NO_CONTEXT_TOKENS = 200

/** How a log is looked through for its faults: everything is located, next to no code is shown, no model is asked. */
export const LOOK_THROUGH = { mode: 'context', detail: 'full', max_context_tokens: NO_CONTEXT_TOKENS } as const

/** What faults are told apart by, in the names of JSON or in ours. */
interface Located {
  exceptions: ReadonlyArray<
    Pick<ResolutionAnswer['exceptions'][number], 'index' | 'relation' | 'fingerprint' | 'chain'>
  >
  frames: ReadonlyArray<{ exception: number }>
}

/** The distinct faults of a log. */
interface Faults {
  /** Indexes of the exceptions that stand for them, in the order of the log. */
  faults: number[]
  /** How many frames each of them has. */
  frames: number[]
  /** More faults than are resolved. */
  left: number
  /** Warnings and stacks of others. */
  passedOver: number
}

/** The exceptions and frames of one fault of a log with many; they keep the numbers that they have in the log. */
export function partOf<Whole extends Located>(
  { exceptions, frames }: Whole,
  exception: number,
): Pick<Whole, 'exceptions' | 'frames'> {
  const chain = exceptions.find(({ index }) => index === exception)?.chain
  const own = exceptions.filter(one => one.chain === chain)
  const numbers = new Set(own.map(({ index }) => index))
  return { exceptions: own, frames: frames.filter(frame => numbers.has(frame.exception)) }
}

/**
 * Tells the faults of a log apart: of equal ones the first counts, and those with code of the project come before the
 * others where there are too many.
 */
export function findFaults<Whole extends Located>(
  located: Whole,
  isInProject: (frame: Whole['frames'][number]) => boolean,
): Faults {
  const distinct = new Map<string, number>()
  for (const { relation, fingerprint, index } of located.exceptions) {
    if (relation === 'root' && fingerprint !== null && !distinct.has(fingerprint)) distinct.set(fingerprint, index)
  }
  const chains = new Map(located.exceptions.map(({ index, chain }) => [index, chain]))
  const chainOf = (exception: number) => chains.get(exception)
  const withCode = new Set(located.frames.filter(isInProject).map(({ exception }) => chainOf(exception)))
  const isOurs = (index: number) => withCode.has(chainOf(index))
  const all = [...distinct.values()]
  const faults = [...all.filter(isOurs), ...all.filter(index => !isOurs(index))]
    .slice(0, MAX_FAULTS)
    .sort((a, b) => a - b)
  return {
    faults,
    frames: faults.map(fault => located.frames.filter(({ exception }) => chainOf(exception) === chainOf(fault)).length),
    left: all.length - faults.length,
    passedOver: located.exceptions.filter(({ relation }) => relation === 'separate').length,
  }
}

/** A log that was located: at the commit that was asked for, or as it was indexed, and why. */
interface AtCommit<Found> {
  located: Found
  /** The commit that was asked for, where the code was read at it. */
  ref: string | null
  /** Why it was not. */
  missing: string | null
}

/**
 * The log located at the commit that CI ran, where that can be had, else as it was indexed with the reason; null for a
 * text with nothing in it.
 */
export async function locateAtCommit<Found>(
  locate: (ref?: string) => Promise<Found>,
  commit: string | undefined,
  missing: string | null = null,
): Promise<AtCommit<Found> | null> {
  try {
    return { located: await locate(commit), ref: commit ?? null, missing }
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    if (error.code === 'NO_STACK_TRACE') return null
    if (error.code !== 'REF_NOT_FOUND' || commit === undefined) throw error
    return await locateAtCommit(locate, undefined, error.message)
  }
}

/** The resolution with a notice that its code is not that of the commit which was asked for; before any other. */
export function withMissing<Found extends { commit: string; notice?: string }>(
  resolution: Found,
  missing: string | null,
): Found {
  if (missing === null) return resolution
  const why = `${missing} The code is read as it was indexed, at commit ${resolution.commit.slice(0, 12)}.`
  return { ...resolution, notice: resolution.notice === undefined ? why : `${why} ${resolution.notice}` }
}

const isInProject = ({ in_project: inProject }: ResolutionAnswer['frames'][number]): boolean => inProject

/** Everything that a log comes to. */
export interface FaultReport {
  projectName: string
  /** One for each distinct fault, in the order of the log, with its exceptions and frames alone. */
  resolutions: ResolutionAnswer[]
  /** Faults of the log that are not among them. */
  left: number
}

/**
 * Resolves each distinct fault of a log by itself, one after the other. A commit that cannot be had costs only the
 * exact lines: then the code is that of the index, and a notice says so.
 *
 * @param resolve - Called once to look the log through, and once for each fault.
 */
export async function resolveFaults(
  resolve: (input: ResolveInput) => Promise<ResolutionAnswer>,
  input: ResolveInput,
): Promise<FaultReport> {
  const { ref: commit, exception: wanted, ...whole } = input
  const found = await locateAtCommit(ref => resolve({ ...whole, ...LOOK_THROUGH, ref, exception: wanted }), commit)
  if (found === null) return { projectName: input.project_name, resolutions: [], left: 0 }
  const { located, ref, missing } = found
  const { faults, left } = findFaults(located, isInProject)
  const resolutions: ResolutionAnswer[] = []
  for (const exception of wanted === undefined ? faults : [wanted]) {
    const resolution = await resolve({ ...whole, exception, ...(ref === null ? {} : { ref }) })
    const part = partOf(resolution, exception)
    const total = partOf(located, exception).frames.length
    const counts = { frames_total: total, frames_omitted: total - part.frames.length }
    resolutions.push(withMissing({ ...resolution, ...part, ...counts }, missing))
  }
  return { projectName: located.project_name, resolutions, left: wanted === undefined ? left : 0 }
}

/** Where the faults of a log are: in code of the project, in none of it, or nowhere. */
type FaultPlace = 'project' | 'elsewhere' | 'none'

/** Whether code of the project was at fault: a fault is the project's when a frame of it lies in its code. */
export function placeOf(resolutions: readonly ResolutionAnswer[]): FaultPlace {
  const parts = resolutions.flatMap(resolution =>
    findFaults(resolution, isInProject).faults.map(exception => partOf(resolution, exception)),
  )
  if (parts.length === 0) return 'none'
  return parts.some(({ frames }) => frames.some(isInProject)) ? 'project' : 'elsewhere'
}
