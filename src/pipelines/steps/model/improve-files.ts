import { shortened } from '../../../core/both-ends.ts'
import { counted } from '../counted.ts'
import type { FaultlineError } from '../../../core/errors.ts'
import type { DialogueMessage } from '../../../core/dialogue.ts'
import type { RejectedHunk } from '../../../contract/generation-results.ts'
import { describeProblems } from '../../../edits/write/describe-problems.ts'
import type { EditProblem } from '../../../edits/edit.ts'
import { readReply } from '../../../edits/read/read-reply.ts'
import type { OutlineFile } from '../../../edits/parts/units/units-of.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { AskModel, ModelChoice } from './ask-model.ts'
import { currentFiles, type BaseFiles, type Changes } from '../base/base-files.ts'
import { applyReply, firstTurn } from './apply-reply.ts'
import { filesTurn, IMPROVE_SYSTEM, replied, says } from './dialogues.ts'

/** What is to be changed, and how. */
export interface ImproveOptions extends ModelChoice {
  base: BaseFiles
  /** What earlier improvements changed. */
  changes: Changes
  /** The name of its steps; default `improve`. */
  step?: string
  /** Paths that the model is shown, in this order. */
  shown: readonly string[]
  /** What is wanted. */
  request: DialogueMessage['content']
  /** The talk that this goes on with, which begins with the request; undefined at the beginning. */
  earlier?: Talk
  /** What a file defines: a block that lacks some of it is no whole file. */
  outline: OutlineFile
  /** The words of a person who may have asked to remove something; '' where nobody could. */
  asked: string
  /** Tries after the first reply, those of the talk before among them. */
  maxRefinements: number
  /** Why a file may not be changed; null for one that may. A model is not asked again for what it may not do. */
  refusal?: (path: string) => Promise<string | null>
}

/** What a model was asked, and said, about changes. */
export interface Talk {
  turns: readonly DialogueMessage[]
  /** How often it was asked again. */
  refinements: number
}

/** What an improvement came to. */
export type Improvement = Talk & {
  changes: Changes
  /** What this improvement did; nothing where all of it was there already. */
  touched: string[]
  rejected: RejectedHunk[]
  /** What the model says of the changes beside its code; '' where it says nothing. */
  explanation: string
  /** Why the last reply is not whole, for the caller to throw when what could be used of it is kept; else null. */
  cut: FaultlineError | null
}

/** Characters of an explanation: what somebody reads before a diff. */
const EXPLANATION_CHARS = 10_000
/** System, files, request, then what came of it: gpt-engineer's order. */
export const improveDialogue = (
  files: ReadonlyMap<string, string>,
  turns: readonly DialogueMessage[],
): DialogueMessage[] => [IMPROVE_SYSTEM, filesTurn(files), ...turns]

const asRejected = ({ path, hunk, reason, detail }: EditProblem): RejectedHunk => ({ path, hunk, reason, detail })

/**
 * gpt-engineer's improvement: asks for diffs, takes the hunks that fit, and asks again for those that do not, with the
 * reasons. What fits is kept among the job's files at once.
 */
export async function improveFiles(
  job: JobContext,
  { askModel, redact }: AskModel,
  { base, changes, shown, request, earlier, maxRefinements, refusal = async () => null, ...options }: ImproveOptions,
): Promise<Improvement> {
  const { outline, asked, model, temperature, step = 'improve' } = options
  const { turns: talk, refinements: tries } = earlier ?? { turns: [says(request)], refinements: 0 }
  const turns = [...talk]
  const messages = async (): Promise<DialogueMessage[]> =>
    improveDialogue(await currentFiles(job, base, changes).readAll(shown), turns)
  let turn = firstTurn(changes)
  for (let refinements = tries; ; refinements++) {
    const { text, cut } = await askModel(job, { name: step, messages, model, temperature })
    turns.push(replied(text))
    const before = turn
    turn = await job.step(`${step}.apply`, () =>
      applyReply(job, readReply(text, { isCut: cut !== null }), {
        base,
        shown,
        refusal,
        outline,
        asked,
        redact,
        before,
        isFirst: refinements === tries,
      }),
    )
    if (cut !== null || turn.open.length === 0 || refinements === maxRefinements) {
      return {
        changes: turn.changes,
        touched: turn.touched,
        rejected: [...turn.refused, ...turn.open].map(asRejected),
        turns,
        refinements,
        explanation: shortened(turn.said.join('\n\n'), EXPLANATION_CHARS),
        cut,
      }
    }
    job.log(`${counted(turn.open.length, 'edit')} could not be applied; the model is asked for them again.`)
    turns.push(
      says({ prompt: 'improve-again', slots: { problems: { label: 'problems', text: describeProblems(turn.open) } } }),
    )
  }
}
