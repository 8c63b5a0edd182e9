import { shortened } from '../../../core/both-ends.ts'
import type { DialogueMessage } from '../../../core/dialogue.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { EditProblem } from '../../../edits/edit.ts'
import { readReply } from '../../../edits/read/read-reply.ts'
import { describeProblems } from '../../../edits/write/describe-problems.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { currentFiles, type Changes } from '../../steps/base/base-files.ts'
import type { AskModel } from '../../steps/model/ask-model.ts'
import { applyReply, firstTurn, type Turn } from '../../steps/model/apply-reply.ts'
import { filesTurn, replied, says } from '../../steps/model/dialogues.ts'
import type { ImproveOptions } from '../../steps/model/improve-files.ts'
import { similarity } from '../checks/stuck.ts'
import { agentSystem } from '../plan/make-plan.ts'
import type { CodedFiles, CoderFeature, CoderTaskInput, On } from './coder-task.ts'

/** What our own coder needs. */
export interface OwnCoderDeps {
  model: AskModel
  outline: ImproveOptions['outline']
}

const MAX_ANSWER_TOKENS = 16_384
const MAX_OUTPUT_CHARS = 20_000
const MAX_RETRIES = 3
/** The seed's. */
const SAME = 0.9

const listed = (paths: readonly string[]): string =>
  paths.length === 0 ? 'none' : paths.map(path => `\`${path}\``).join(', ')

/** The error for a model that insists on what it may not do. */
export function outOfScope(reasons: readonly string[]): FaultlineError {
  return new FaultlineError(
    'OUT_OF_SCOPE',
    `The coder insists on a change that a feature may not make here. ${[...new Set(reasons)].join(' ')}`,
    'Have a person make that change, or widen allowed_paths (PATCH /projects/{name}, or [features] of ' +
      '.faultline.toml on the default branch), and ask again.',
  )
}

/** The question, with the files as they are now. */
async function questionOf(
  job: JobContext,
  { base, rules }: CoderFeature,
  { instruction, files, readOnlyFiles = [], maxRetries = MAX_RETRIES }: CoderTaskInput,
  { changes, state }: On,
): Promise<DialogueMessage[]> {
  const shown = await currentFiles(job, base, changes).readAll([...files, ...readOnlyFiles])
  return [
    agentSystem(rules, { ...state, maxRetries }),
    ...(shown.size === 0 ? [] : [filesTurn(shown)]),
    says({
      prompt: 'feature-code',
      slots: {
        instruction: { label: 'task', text: instruction },
        files: listed(files),
        readOnly: listed(readOnlyFiles),
        file_format: { prompt: 'file_format_diff' },
      },
    }),
  ]
}

/** A turn with what it was asked. */
interface Attempt {
  turn: Turn
  problems: EditProblem[]
}

/**
 * Has the configured model write: what fits of a reply is kept, the rest is asked for again with the reasons. A change
 * of what may not be changed is told once; a model that insists ends the feature.
 *
 * @throws {FaultlineError} OUT_OF_SCOPE, REPLY_FILTERED, and what `askModel` throws.
 */
export async function ownCoder(
  job: JobContext,
  { model: deps, outline }: OwnCoderDeps,
  feature: CoderFeature,
  { input, on }: { input: CoderTaskInput; on: On },
): Promise<CodedFiles> {
  const { base, refusal, asked, model, temperature } = feature
  const { files, readOnlyFiles = [], maxRetries = MAX_RETRIES, mayStay = false } = input
  const shown = [...files, ...readOnlyFiles]
  const readOnly = new Set(readOnlyFiles.filter(path => !files.includes(path)))
  async function mayNot(path: string): Promise<string | null> {
    const shownOnly = readOnly.has(path) ? `${path} is shown for reading only.` : null
    return (await refusal(path)) ?? shownOnly
  }
  const turns: DialogueMessage[] = []
  const errors: string[] = []
  let turn = firstTurn(on.changes)
  let isTold = false

  const coded = (success: boolean, changes: Changes): CodedFiles => ({
    success,
    changes,
    touched: turn.touched,
    output: shortened(turn.said.join('\n\n'), MAX_OUTPUT_CHARS),
    errors,
  })

  async function attempt(text: string): Promise<Attempt> {
    const before = turn
    const next = await job.step('code.apply', () =>
      applyReply(job, readReply(text), {
        base,
        shown,
        refusal: mayNot,
        outline,
        asked,
        anew: on.skeletons,
        redact: deps.redact,
        before: { ...before, refused: [] },
        isFirst: before.touched.length === 0 && !mayStay,
      }),
    )
    return { turn: next, problems: [...next.refused, ...next.open] }
  }

  for (let tries = 0; ; tries++) {
    const messages = async () => [...(await questionOf(job, feature, input, on)), ...turns]
    const options = { maxOutputTokens: MAX_ANSWER_TOKENS, model, temperature }
    const reply = await deps.askModel(job, { name: 'code', messages, ...options })
    if (reply.cut !== null) {
      if (reply.cut.code !== 'REPLY_TRUNCATED') throw reply.cut
      errors.push(`${reply.cut.message} Make a smaller change.`)
      return coded(false, turn.changes)
    }
    const made = await attempt(reply.text)
    turn = made.turn
    if (made.problems.length === 0) return coded(true, turn.changes)
    if (turn.refused.length > 0 && isTold) throw outOfScope(turn.refused.map(({ detail }) => detail))
    isTold ||= turn.refused.length > 0
    const problems = describeProblems(made.problems)
    const isStuck = similarity(errors.at(-1) ?? '', problems) > SAME
    errors.push(problems)
    if (isStuck || tries === maxRetries) return coded(false, turn.changes)
    job.log('Some edits could not be made; the coder is asked again.')
    turns.push(
      replied(reply.text),
      says({ prompt: 'feature-code-again', slots: { problems: { label: 'problems', text: problems } } }),
    )
  }
}
