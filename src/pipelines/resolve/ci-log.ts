import type { CiLogInput } from '../../contract/webhook.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { IndexState, Resolution } from '../../core/resolution.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { noFaultResolution } from './no-fault.ts'
import type { ResolveInput } from '../../contract/resolution.ts'

/** What resolving the log of a CI run needs. */
export interface CiLogDeps {
  resolve: (input: ResolveInput, signal: AbortSignal) => Promise<Resolution>
  withoutSecrets: (text: string, signal: AbortSignal) => Promise<string>
  describeProject: (name: string) => Promise<{ projectName: string; commit: string; indexState: IndexState }>
}

const MAX_FAULTS = 20
/** To find out what faults there are, no context is needed; this is the least that there is. */
const NO_CONTEXT_TOKENS = 200

const stepOf = (fault: number): string => `resolve ${fault + 1}`

/** By step, what its output was made from. */
export const CI_LOG_CONSUMES: Record<string, readonly string[]> = Object.fromEntries(
  ['redact', 'faults', ...Array.from({ length: MAX_FAULTS }, (_, fault) => stepOf(fault))].map(step => [
    step,
    ['log', 'project_name', 'commit'],
  ]),
)

/**
 * The log located at the commit that CI ran, where that can be had, else as it was indexed with the reason; null for a
 * text with nothing in it.
 */
async function whereKnown(
  locate: (ref?: string) => Promise<Resolution>,
  commit: string | undefined,
  missing: string | null = null,
): Promise<{ resolution: Resolution; ref: string | null; missing: string | null } | null> {
  try {
    return { resolution: await locate(commit), ref: commit ?? null, missing }
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    if (error.code === 'NO_STACK_TRACE') return null
    if (error.code !== 'REF_NOT_FOUND' || commit === undefined) throw error
    return await whereKnown(locate, undefined, error.message)
  }
}

/**
 * Indexes of the exceptions that stand for the faults: of equal ones the first, those with code of the project before
 * the others.
 */
async function findFaults(locate: (ref?: string) => Promise<Resolution>, commit: string | undefined): Promise<Faults> {
  const located = await whereKnown(locate, commit)
  if (located === null) return { faults: [], frames: [], left: 0, passedOver: 0, ref: null, missing: null }
  const {
    resolution: { exceptions, frames },
    ref,
    missing,
  } = located
  const distinct = new Map<string, number>()
  for (const { relation, fingerprint, index } of exceptions) {
    if (relation === 'root' && fingerprint !== null && !distinct.has(fingerprint)) distinct.set(fingerprint, index)
  }
  const chains = new Map(exceptions.map(({ index, chain }) => [index, chain]))
  const withCode = new Set(frames.filter(({ inProject }) => inProject).map(({ exception }) => chains.get(exception)))
  const isOurs = (index: number) => withCode.has(chains.get(index))
  const all = [...distinct.values()]
  const faults = [...all.filter(isOurs), ...all.filter(index => !isOurs(index))]
    .slice(0, MAX_FAULTS)
    .sort((a, b) => a - b)
  return {
    faults,
    frames: faults.map(fault => frames.filter(({ exception }) => chains.get(exception) === chains.get(fault)).length),
    left: all.length - faults.length,
    passedOver: exceptions.filter(({ relation }) => relation === 'separate').length,
    ref,
    missing,
  }
}

/** The resolution with a notice that its code is not that of the commit which was asked for; before any other. */
function withMissing<Found extends Resolution>(resolution: Found, missing: string | null): Found {
  if (missing === null) return resolution
  const why = `${missing} The code is read as it was indexed, at commit ${resolution.commit.slice(0, 12)}.`
  return { ...resolution, notice: resolution.notice === undefined ? why : `${why} ${resolution.notice}` }
}

/**
 * The part of a resolution that is about one fault of a log with many. Exceptions and frames keep the numbers that they
 * have in the log.
 *
 * @param total - Frames of the fault in the log.
 */
function onlyFault(resolution: Resolution, exception: number, total: number): Resolution {
  const chain = resolution.exceptions.find(({ index }) => index === exception)?.chain
  const exceptions = resolution.exceptions.filter(one => one.chain === chain)
  const own = new Set(exceptions.map(({ index }) => index))
  const frames = resolution.frames.filter(frame => own.has(frame.exception))
  return { ...resolution, exceptions, frames, framesTotal: total, framesOmitted: total - frames.length }
}

/**
 * The log without secrets, as it is stored from then on: a long one came as it was, since the answer to the sender
 * cannot wait so long, and so did that of a retry.
 */
async function cleanLog(
  context: JobContext,
  input: CiLogInput,
  withoutSecrets: CiLogDeps['withoutSecrets'],
): Promise<string> {
  let { log } = input
  await context.step('redact', async signal => {
    log = await withoutSecrets(log, signal)
    if (log !== input.log) await context.replaceInput({ ...input, log })
    return null
  })
  return log
}

/**
 * One resolution for each distinct fault of a log, in the order of the log; of a log without any, one that says so.
 * Whoever sent the log is trusted with nothing: the code is located and explained, nothing runs.
 */
export async function resolveCiLog(
  context: JobContext,
  input: CiLogInput,
  { resolve, withoutSecrets, describeProject }: CiLogDeps,
): Promise<Resolution[]> {
  const { project_name: projectName, commit } = input
  const log = await cleanLog(context, input, withoutSecrets)
  const whole: ResolveInput = { stacktrace: log, project_name: projectName }
  const {
    faults,
    frames = [],
    left,
    passedOver,
    ref,
    missing = null,
  } = await context.step('faults', signal =>
    findFaults(
      ref => resolve({ ...whole, mode: 'context', detail: 'full', max_context_tokens: NO_CONTEXT_TOKENS, ref }, signal),
      commit,
    ),
  )
  if (commit !== undefined && ref === null) {
    context.log(`The clone has no commit ${JSON.stringify(commit)}: the code is read as it was indexed.`)
  }
  if (left > 0) {
    context.log(`The log holds ${faults.length + left} distinct faults: ${faults.length} of them are resolved.`)
  }
  if (faults.length === 0) {
    const without = await context.step('no fault', async () =>
      noFaultResolution({ ...(await describeProject(projectName)), log, passedOver }),
    )
    context.log(without.notice)
    return [withMissing(without, missing)]
  }

  const resolutions: Resolution[] = []
  for (const [position, exception] of faults.entries()) {
    resolutions.push(
      await context.step(stepOf(position), async signal => {
        const resolution = await resolve({ ...whole, exception, ref: ref ?? undefined }, signal)
        return withMissing(onlyFault(resolution, exception, frames[position] ?? resolution.frames.length), missing)
      }),
    )
    context.progress({
      step: 'resolve',
      done: position + 1,
      total: faults.length,
      message: `faults ${position + 1}/${faults.length}`,
    })
  }
  return resolutions
}

interface Faults {
  faults: number[]
  /** How many frames each of them has; missing in what a previous release has stored. */
  frames?: number[]
  /** More faults than are resolved. */
  left: number
  /** Warnings and stacks of others. */
  passedOver: number
  ref: string | null
  /** Why the code is not read at the commit that CI ran; left out by earlier releases. */
  missing?: string | null
}
