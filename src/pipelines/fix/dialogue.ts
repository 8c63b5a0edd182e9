import type { FixInput } from '../../contract/generation.ts'
import { shortened } from '../../core/both-ends.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { Resolution } from '../../core/resolution.ts'
import type { ResolveHooks } from '../../resolver/resolver.ts'
import type { FaultPlace } from '../steps/verify/same-fault.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { readTexts } from '../steps/base/read-texts.ts'
import { fixRequest, says, withTest } from '../steps/model/dialogues.ts'
import { improveDialogue } from '../steps/model/improve-files.ts'

/** What finding the code behind a trace needs. */
export interface LocateDeps {
  /** The code behind a trace; asks no model. */
  locate: (
    input: Pick<FixInput, 'stacktrace' | 'project_name'>,
    hooks: Pick<ResolveHooks, 'signal' | 'onSuspects' | 'waitForSuspects'>,
  ) => Promise<Resolution>
}

/** The code behind a trace: what the model is shown, and what the result says. */
export type LocatedFault = Pick<Resolution, 'id' | 'frames' | 'context'> & {
  /** Left out by earlier releases. */
  suspects?: Resolution['suspectCommits']
  /** Equal for equal faults; left out by earlier releases. */
  fingerprint?: string | null
  /** Files of the repository that is to be fixed, the most telling first. */
  paths: string[]
  /** Type and message of the last root exception; empty where the trace has neither. */
  error: string
  /** Where it was raised, as far as that is in the repository. Left out by earlier releases. */
  failing?: FaultPlace | null
}

function placeOf(type: string | null, frame: Resolution['frames'][number] | undefined): FaultPlace | null {
  if (frame === undefined || frame.path === null) return null
  const { path, function: of, codeLine, line } = frame
  return { type, path, function: of, line: codeLine ?? line }
}

/** Characters of the trace in the prompt: its two ends. */
const TRACE_CHARS = 24_000

const NO_EXCEPTION = { type: null, message: null, index: -1, fingerprint: null }

/** What was located, as far as it lies in one repository. @throws {FaultlineError} NO_STACK_TRACE: nothing does. */
export function faultIn(
  { id, projectName, frames, context, sources, exceptions, suspectCommits }: Resolution,
  repository: string,
): LocatedFault {
  const paths = [...new Set(sources.filter(source => source.repository === repository).map(({ path }) => path))]
  if (paths.length === 0) {
    throw new FaultlineError(
      'NO_STACK_TRACE',
      `No file of ${repository} in the project ${projectName} could be found for this trace.`,
      'POST /resolve with "mode": "context" shows what was read out of it.',
    )
  }
  const root = exceptions.findLast(({ relation }) => relation === 'root') ?? NO_EXCEPTION
  const { type, message, index, fingerprint } = root
  const error = [type, message].filter(part => part !== null).join(': ')
  const inside = frames.findLast(
    frame => frame.exception === index && frame.inProject && frame.repository === repository,
  )
  const failing = placeOf(type, inside)
  return { id, frames, context, paths, error, failing, suspects: suspectCommits, fingerprint }
}

/** The trace as models are shown it. */
export const traceOf = ({ stacktrace }: Pick<FixInput, 'stacktrace'>): string => shortened(stacktrace, TRACE_CHARS)

/** What the model is asked: the trace, shortened, and the code behind it. */
export const requestOf = (
  { stacktrace }: FixInput,
  { context }: LocatedFault,
  tests: readonly string[] = [],
): DialogueMessage['content'] => {
  const request = fixRequest(traceOf({ stacktrace }), context)
  return tests.length === 0 ? request : withTest(request, tests)
}

/** What the model is asked first, for `dry_run`. */
export async function firstFixDialogue(
  { locate }: LocateDeps,
  input: FixInput,
  { base, at }: ProjectBase,
): Promise<DialogueMessage[]> {
  const located = faultIn(await locate(input, {}), at.repository)
  return improveDialogue(await readTexts(base, located.paths), [says(requestOf(input, located))])
}
