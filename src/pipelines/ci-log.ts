import { FaultlineError, toPlainError } from '../core/errors.ts'
import type { JsonObject } from '../core/job.ts'
import type { Resolution } from '../core/resolution.ts'
import { toWireResolution } from '../core/wire.ts'
import type { JobContext } from '../jobs/job-context.ts'
import type { Callbacks } from '../outbound/callbacks.ts'
import type { ResolveInput } from './resolve.ts'

/** The body of `POST /webhooks/ci`, as the job keeps it. */
export type CiLogInput = {
  project_name: string
  log: string
  commit?: string
  callback_url?: string
}

export interface CiLogDeps {
  resolve: (input: ResolveInput, signal: AbortSignal) => Promise<Resolution>
  deliver: Callbacks['deliver']
}

const MAX_FAULTS = 20
/** To find out what faults there are, no context is needed; this is the least that there is. */
const NO_CONTEXT_TOKENS = 200

const stepOf = (fault: number): string => `resolve ${fault + 1}`

/** By step, what its output was made from. */
export const CI_LOG_CONSUMES: Record<string, readonly string[]> = Object.fromEntries(
  ['faults', ...Array.from({ length: MAX_FAULTS }, (_, fault) => stepOf(fault))].map(step => [step, ['log', 'project_name', 'commit']]))

/**
 * One resolution for each distinct fault of a log, in the order of the log; then they are sent to the callback. Whoever sent the log is
 * trusted with nothing: the code is located and explained, nothing runs.
 */
export async function resolveCiLog (context: JobContext, input: CiLogInput, deps: CiLogDeps): Promise<Resolution[]> {
  let resolutions: Resolution[]
  try {
    resolutions = await resolveFaults(context, input, deps)
  } catch (error) {
    // Not a step: a job that failed ends here, and the receiver knows the message by its id.
    if (error instanceof FaultlineError && !context.signal.aborted) await sendResult(context, input, { status: 'failed', result: null, error: toPlainError(error) }, deps)
    throw error
  }
  if (input.callback_url !== undefined) {
    await context.step('deliver', () => sendResult(context, input, { status: 'succeeded', result: resolutions.map(toWireResolution), error: null }, deps))
  }
  return resolutions
}

async function resolveFaults (context: JobContext, { project_name: projectName, log, commit }: CiLogInput, { resolve }: CiLogDeps): Promise<Resolution[]> {
  const whole: ResolveInput = { stacktrace: log, project_name: projectName }
  const { faults, left, ref } = await context.step('faults', signal => findFaults(ref => resolve({ ...whole, mode: 'context', max_context_tokens: NO_CONTEXT_TOKENS, ref }, signal), commit))
  if (commit !== undefined && ref === null) context.log(`The clone has no commit ${JSON.stringify(commit)}: the code is read as it was indexed.`)
  if (faults.length === 0) context.log('The log holds no stack trace, failed test or compiler error, so there is nothing to resolve. Post the whole log of the step that failed.')
  if (left > 0) context.log(`The log holds ${faults.length + left} distinct faults: ${faults.length} of them are resolved.`)

  const resolutions: Resolution[] = []
  for (const [position, exception] of faults.entries()) {
    resolutions.push(await context.step(stepOf(position), async signal => {
      const resolution = await resolve({ ...whole, exception, ref: ref ?? undefined }, signal)
      context.addUsage(resolution.usage) // inside: a step whose output is stored cost nothing again
      return onlyFault(resolution, exception)
    }))
    context.progress({ step: 'resolve', done: position + 1, total: faults.length, message: `faults ${position + 1}/${faults.length}` })
  }
  return resolutions
}

/** Indexes of the exceptions that stand for the faults: of equal ones the first, those with code of the project before the others. */
async function findFaults (locate: (ref?: string) => Promise<Resolution>, commit: string | undefined): Promise<{ faults: number[], left: number, ref: string | null }> {
  const located = await whereKnown(locate, commit)
  if (located === null) return { faults: [], left: 0, ref: null }
  const { resolution: { exceptions, frames }, ref } = located
  const distinct = new Map<string, number>()
  for (const { relation, fingerprint, index } of exceptions) {
    if (relation === 'root' && fingerprint !== null && !distinct.has(fingerprint)) distinct.set(fingerprint, index)
  }
  const chains = new Map(exceptions.map(({ index, chain }) => [index, chain]))
  const withCode = new Set(frames.filter(({ inProject }) => inProject).map(({ exception }) => chains.get(exception)))
  const isOurs = (index: number) => withCode.has(chains.get(index))
  const all = [...distinct.values()]
  const faults = [...all.filter(isOurs), ...all.filter(index => !isOurs(index))].slice(0, MAX_FAULTS).sort((a, b) => a - b)
  return { faults, left: all.length - faults.length, ref }
}

/** The log located at the commit that CI ran, where the clone has it; null for a text with nothing in it. */
async function whereKnown (locate: (ref?: string) => Promise<Resolution>, commit: string | undefined): Promise<{ resolution: Resolution, ref: string | null } | null> {
  try {
    return { resolution: await locate(commit), ref: commit ?? null }
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    if (error.code === 'NO_STACK_TRACE') return null
    if (error.code !== 'REF_NOT_FOUND' || commit === undefined) throw error
    return await whereKnown(locate, undefined)
  }
}

/** Of a log with many faults each resolution keeps its own exceptions and frames; their numbers stay those of the log. */
function onlyFault (resolution: Resolution, exception: number): Resolution {
  const chain = resolution.exceptions.find(({ index }) => index === exception)?.chain
  const exceptions = resolution.exceptions.filter(one => one.chain === chain)
  const own = new Set(exceptions.map(({ index }) => index))
  const frames = resolution.frames.filter(frame => own.has(frame.exception))
  const isCut = resolution.framesTotal > resolution.frames.length
  return { ...resolution, exceptions, frames, framesTotal: isCut ? resolution.framesTotal : frames.length }
}

interface Outcome { status: 'succeeded' | 'failed', result: unknown, error: object | null }

/** Tells the callback how the job ended. That it could not be told is noted, not a failure: the result is in the job. */
async function sendResult (context: JobContext, { callback_url: url, project_name: projectName }: CiLogInput, outcome: Outcome, { deliver }: CiLogDeps): Promise<JsonObject> {
  if (url === undefined) return {}
  const body = JSON.stringify({ id: context.id, type: 'resolve', project_name: projectName, ...outcome })
  const delivery = await deliver({ url, id: context.id, body, signal: context.signal })
  context.log(delivery.delivered ? `The result was delivered: ${delivery.status}.` : `The result could not be delivered to callback_url (${delivery.tries} tries): ${delivery.reason}.`)
  return { ...delivery }
}
