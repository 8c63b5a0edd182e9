import { shortened } from '../../core/both-ends.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import { taskTitle } from '../../core/task.ts'
import { replyProblem, type EditProblem } from '../../edits/edit.ts'
import { commitMessage } from '../../edits/write/commit-message.ts'
import { describeProblems } from '../../edits/write/describe-problems.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { counted } from '../steps/counted.ts'
import { NO_CHANGES, currentFiles, type BaseFiles, type Changes } from '../steps/base/base-files.ts'
import { applyReply, firstTurn, type Turn } from '../steps/model/apply-reply.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { replied, says } from '../steps/model/dialogues.ts'
import { describeRejected } from '../steps/model/edits-rejected.ts'
import type { ImproveOptions } from '../steps/model/improve-files.ts'
import {
  MAX_ANSWER_TOKENS,
  MAX_ASKED,
  addSpent,
  asksForEdits,
  asksForJson,
  jsonRule,
  tooLong,
  type Spent,
} from './agent.ts'
import { CODER_JSON, readCoderAnswer, type CoderAnswer } from './coder-answer.ts'
import { editsOfFiles, withoutUnseen } from './coder-edits.ts'

/** What a coder is shown of the project. */
export interface ShownContext {
  text: string
  /** Paths that the text holds whole. */
  whole: readonly string[]
  /** All paths that it holds. */
  shown: readonly string[]
}

/** A task, and what it is to be done with. */
export interface CoderRequest {
  base: BaseFiles
  context: ShownContext
  description: string
  /** What the attempt before was sent back with. */
  feedback: string | null
  /** Why a file may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
  model?: string
  temperature?: number
  outline: ImproveOptions['outline']
  /** What the attempt before left among the job's files, which goes; undefined where it left nothing. */
  previous?: Changes
}

/** What a coder made of a task, or why nothing came of it. */
export type Coded = Spent &
  ({ ok: true; changes: Changes; commitMessage: string; thinking: string } | { ok: false; message: string })

/** A coder's answer that can be read. */
type Readable = Exclude<CoderAnswer, { problems: string[] }>

/** What an answer came to, as its step keeps it. */
type Applied = { turn: Turn; problems: EditProblem[] }

const MAX_THINKING_CHARS = 10_000
const MAX_MESSAGE_CHARS = 10_000
const NO_CHANGE = 'The answer changes nothing.'

/** What a coder is asked first. */
export const coderDialogue = ({
  context,
  description,
  feedback,
}: Pick<CoderRequest, 'context' | 'description' | 'feedback'>): DialogueMessage[] => [
  { role: 'system', content: { prompt: 'task-coder' } },
  says([
    { prompt: 'task-coder-user', slots: { context: { label: 'project', text: context.text }, task: description } },
    ...(feedback === null
      ? []
      : ['\n\n', { prompt: 'task-coder-feedback', slots: { feedback: { label: 'feedback', text: feedback } } }]),
    '\n\n',
    jsonRule(CODER_JSON),
  ]),
]

/** Takes away what the attempt before left among the job's files. */
async function removeLeft(job: Pick<JobContext, 'files'>, left: readonly string[]): Promise<void> {
  if (left.length > 0) await job.files.put(new Map(left.map(path => [path, null])))
}

/** Applies an answer to the files as they are now; for a step. */
async function applyAnswer(
  job: JobContext,
  answer: Readable,
  { request, before, redact }: { request: CoderRequest; before: Turn; redact: AskModel['redact'] },
): Promise<Applied> {
  const { base, context, refusal, outline, description, previous = NO_CHANGES } = request
  const paths = new Set(await currentFiles(job, base, before.changes).paths())
  const old = new Set(await base.paths())
  const known = {
    paths,
    // all of a file that it made is known to the coder; of one that it changed by a diff it is not
    whole: new Set([...context.whole, ...before.changes.changed.filter(path => !old.has(path))]),
    gone: new Set(before.changes.deleted),
  }
  const reply =
    'files' in answer ? editsOfFiles(answer.files, answer.thinking, known) : withoutUnseen(answer.reply, known)
  const turn = await applyReply(job, reply, {
    base,
    shown: 'files' in answer ? [] : context.shown,
    refusal,
    outline,
    asked: description,
    redact,
    // what may not be changed was named by then: a reply without it has settled that
    before: { ...before, refused: [] },
    isFirst: false,
  })
  const own = new Set(turn.changes.changed)
  await removeLeft(
    job,
    previous.changed.filter(path => !own.has(path)),
  )
  const problems = [...turn.refused, ...turn.open]
  const isNothing = problems.length === 0 && turn.touched.length === 0
  return { turn, problems: isNothing ? [replyProblem('malformed', NO_CHANGE)] : problems }
}

/** The words of a coder: of the last reply that has some. */
function saidBy({ thinking, commitMessage: message }: Readable, before: Said): Said {
  return { thinking: thinking.trim() || before.thinking, message: message.trim() || before.message }
}

interface Said {
  thinking: string
  message: string
}

/**
 * Asks a coder for the change that does a task, and puts the changed files among those of the job. A reply that cannot
 * be read, or edits that cannot be made, are asked for once more with the reasons; when that does not help the attempt
 * has failed, and nothing of it stays. Each call and each application is a step.
 *
 * @throws {FaultlineError} REPLY_FILTERED, and what `askModel` throws.
 */
export async function askCoder(job: JobContext, deps: AskModel, request: CoderRequest): Promise<Coded> {
  const { model, temperature, description, previous = NO_CHANGES } = request
  const messages = coderDialogue(request)
  const drop = ({ touched }: Turn): Promise<void> =>
    job.step('coder.drop', () => removeLeft(job, [...touched, ...previous.changed]))
  let spent: Spent = { tokensUsed: 0, durationMs: 0 }
  let said: Said = { thinking: '', message: '' }
  let turn = firstTurn(NO_CHANGES)
  for (let asked = 1; ; asked++) {
    const options = { maxOutputTokens: MAX_ANSWER_TOKENS, json: CODER_JSON, model, temperature }
    const reply = await deps.askModel(job, { name: 'coder', messages: [...messages], ...options })
    spent = addSpent(spent, reply)
    if (reply.cut !== null) {
      const message = tooLong(reply.cut)
      await drop(turn)
      return { ok: false, message, ...spent }
    }
    const answer = readCoderAnswer(reply.text, deps.jsonValuesIn)
    messages.push(replied(reply.text))
    if ('problems' in answer) {
      if (asked === MAX_ASKED) {
        await drop(turn)
        return { ok: false, message: `The reply of the coder cannot be used: ${answer.problems.join(' ')}`, ...spent }
      }
      job.log('The reply of the coder cannot be read; it is asked again.')
      messages.push(asksForJson(answer.problems))
      continue
    }
    const before = turn
    const applied = await job.step('coder.apply', () =>
      applyAnswer(job, answer, { request, before, redact: deps.redact }),
    )
    turn = applied.turn
    said = saidBy(answer, said)
    if (applied.problems.length === 0) {
      return {
        ok: true,
        changes: turn.changes,
        commitMessage: commitMessage(said.message.slice(0, MAX_MESSAGE_CHARS) || taskTitle(description)),
        thinking: shortened(said.thinking, MAX_THINKING_CHARS),
        ...spent,
      }
    }
    if (asked === MAX_ASKED) {
      await drop(turn)
      return { ok: false, message: describeRejected(applied.problems), ...spent }
    }
    job.log(`${counted(applied.problems.length, 'edit')} could not be applied; the coder is asked again.`)
    messages.push(asksForEdits(describeProblems(applied.problems)))
  }
}
