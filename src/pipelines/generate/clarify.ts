import type { DialogueMessage } from '../../core/dialogue.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel, ModelChoice } from '../steps/model/ask-model.ts'
import { CLARIFY_SYSTEM, GENERATE_TURN, replied, says } from '../steps/model/dialogues.ts'

/** What is asked about, and how often. */
interface ClarifyOptions extends ModelChoice {
  /** What the person asked for. */
  opening: DialogueMessage
  maxQuestions: number
}

/** Whether the model finds nothing to clarify, in any case and punctuation. */
export function isNothing(reply: string): boolean {
  return reply
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .includes('nothing to clarify')
}

/**
 * gpt-engineer's clarification: the model asks one question after the other, each of which waits for a person, until it
 * finds nothing to clarify, the person skips, or there were enough questions.
 *
 * @throws {FaultlineError} REPLY_TRUNCATED, REPLY_FILTERED.
 * @returns The dialogue without its system message, ended by the request to write the program.
 */
export async function clarify(
  job: JobContext,
  { askModel }: AskModel,
  { opening, maxQuestions, ...choice }: ClarifyOptions,
): Promise<DialogueMessage[]> {
  const dialogue = [opening]
  async function ask(): Promise<string> {
    const { text, cut } = await askModel(job, { name: 'clarify', messages: [CLARIFY_SYSTEM, ...dialogue], ...choice })
    if (cut !== null) throw cut
    const reply = text.trim()
    dialogue.push(replied(reply))
    return reply
  }

  let reply = await ask()
  for (let asked = 0; asked < maxQuestions && !isNothing(reply); asked++) {
    const answer = await job.ask('clarification', { kind: 'clarification', question: reply })
    if ('skip' in answer) {
      dialogue.push(says({ prompt: 'clarify-assume' }))
      await ask()
      break
    }
    dialogue.push(
      says([answer.answer, '\n\n', { prompt: asked + 1 < maxQuestions ? 'clarify-more' : 'clarify-assume' }]),
    )
    reply = await ask()
  }
  return [...dialogue, GENERATE_TURN]
}
