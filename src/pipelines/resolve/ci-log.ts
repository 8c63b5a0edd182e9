import type { CiLogInput } from '../../contract/webhook.ts'
import { infrastructureFailure } from '../../core/infrastructure.ts'
import { ofInfrastructure, type ToldOrigin } from '../../core/origin.ts'
import { findFaults, locateAtCommit, LOOK_THROUGH, MAX_FAULTS, partOf, withMissing } from '../../core/faults.ts'
import type { IndexState, Resolution } from '../../core/resolution.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { noFaultResolution } from './no-fault.ts'
import type { ResolveInput } from '../../contract/resolution.ts'

/** A run of CI whose log was resolved. */
export interface ResolvedRun {
  jobId: string
  projectName: string
  log: string
  /** As they were sent. */
  commit: string | undefined
  base: string | undefined
  /** Whether the code was read at the commit. */
  isRead: boolean
  /** Whether the resolutions are all faults of the log, and the log that of a whole run: then others were not in it. */
  isWhole: boolean
  resolutions: readonly Resolution[]
}

/** Where each fault of a run comes from. The run is remembered, for those that follow. */
export type TellOrigins = (run: ResolvedRun, signal: AbortSignal) => Promise<ToldOrigin[]>

/** What resolving the log of a CI run needs. */
export interface CiLogDeps {
  resolve: (input: ResolveInput, signal: AbortSignal) => Promise<Resolution>
  withoutSecrets: (text: string, signal: AbortSignal) => Promise<string>
  tellOrigins: TellOrigins
  describeProject: (name: string) => Promise<{ projectName: string; commit: string; indexState: IndexState }>
}

/** What was found in a log. */
interface CiLogResult {
  /** One for each distinct fault; at least one, which may say that there is none. */
  resolutions: Resolution[]
  /** Faults of the log that are not among them. */
  left: number
  /** Whether the code was read at the commit that CI ran. */
  isAtCommit: boolean
}

const stepOf = (fault: number): string => `resolve ${fault + 1}`

/** By step, what its output was made from. */
export const CI_LOG_CONSUMES: Record<string, readonly string[]> = Object.fromEntries(
  ['redact', 'faults', 'no fault', ...Array.from({ length: MAX_FAULTS }, (_, fault) => stepOf(fault))].map(step => [
    step,
    ['log', 'project_name', 'commit'],
  ]),
)
CI_LOG_CONSUMES.origins = ['log', 'project_name', 'commit', 'base']

/** The faults of a log, and the commit that its code is read at. */
async function findLogFaults(
  locate: (ref?: string) => Promise<Resolution>,
  commit: string | undefined,
): Promise<StoredFaults> {
  const found = await locateAtCommit(locate, commit)
  if (found === null) return { faults: [], frames: [], left: 0, passedOver: 0, ref: null, missing: null }
  const { located, ref, missing } = found
  return { ...findFaults(located, ({ inProject }) => inProject), ref, missing }
}

/**
 * The part of a resolution that is about one fault of a log with many.
 *
 * @param total - Frames of the fault in the log.
 */
function onlyFault(resolution: Resolution, exception: number, total: number): Resolution {
  const part = partOf(resolution, exception)
  return { ...resolution, ...part, framesTotal: total, framesOmitted: total - part.frames.length }
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
  { resolve, withoutSecrets, describeProject, tellOrigins }: CiLogDeps,
): Promise<CiLogResult> {
  const { project_name: projectName, commit, base } = input
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
    findLogFaults(ref => resolve({ ...whole, ...LOOK_THROUGH, ref }, signal), commit),
  )
  if (commit !== undefined && ref === null) {
    context.log(`The clone has no commit ${JSON.stringify(commit)}: the code is read as it was indexed.`)
  }
  if (left > 0) {
    context.log(`The log holds ${faults.length + left} distinct faults: ${faults.length} of them are resolved.`)
  }
  const run = { jobId: context.id, projectName, log, commit, base, isRead: ref !== null }
  if (faults.length === 0) {
    const without = await context.step('no fault', async () =>
      noFaultResolution({ ...(await describeProject(projectName)), log, passedOver }),
    )
    context.log(without.notice)
    const failure = infrastructureFailure(log)
    await context.step('origins', signal => tellOrigins({ ...run, isWhole: failure === null, resolutions: [] }, signal))
    const origin = failure === null ? {} : ofInfrastructure(failure)
    return { resolutions: [withMissing({ ...without, ...origin }, missing)], left, isAtCommit: ref !== null }
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
  const origins = await context.step('origins', signal =>
    tellOrigins({ ...run, isWhole: left === 0, resolutions }, signal),
  )
  const told = resolutions.map((resolution, position) => ({ ...resolution, ...origins[position] }))
  return { resolutions: told, left, isAtCommit: ref !== null }
}

/** What is stored of the faults of a log. */
interface StoredFaults {
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
