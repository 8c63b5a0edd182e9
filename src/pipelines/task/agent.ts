import type { DialogueMessage } from '../../core/dialogue.ts'
import { says, type Part } from '../steps/model/dialogues.ts'
import type { ModelReply } from '../steps/model/ask-model.ts'

/** What a turn of an agent took, over all of its calls. */
export interface Spent {
  /** Tokens of prompts and answers together. */
  tokensUsed: number
  durationMs: number
}

/** The cap of an agent's answer. */
export const MAX_ANSWER_TOKENS = 16_384
/** How often an agent is asked: a reply that cannot be used is asked for once more. */
export const MAX_ASKED = 2

/** What a turn took, with one more call. */
export const addSpent = (
  { tokensUsed, durationMs }: Spent,
  reply: Pick<ModelReply, 'usage' | 'durationMs'>,
): Spent => ({
  tokensUsed: tokensUsed + reply.usage.promptTokens + reply.usage.completionTokens,
  durationMs: durationMs + reply.durationMs,
})

/**
 * What the next coder is told of an answer that stayed cut off: a smaller change has a shorter one.
 *
 * @throws Any other reason for which there is no answer: no attempt mends that.
 */
export function tooLong(cut: NonNullable<ModelReply['cut']>): string {
  if (cut.code !== 'REPLY_TRUNCATED') throw cut
  return `${cut.message} Make a smaller change, in fewer files.`
}

/** Asks for an answer in JSON, as the end of a message. */
export const jsonRule = ({ schema }: { schema: unknown }): Part => ({
  prompt: 'json-answer',
  slots: { schema: JSON.stringify(schema) },
})

const problemsPart = (text: string): Part => ({ label: 'problems', text })

/** Asks again for an answer that could not be read. */
export const asksForJson = (problems: readonly string[]): DialogueMessage =>
  says({
    prompt: 'json-again',
    slots: { problems: problemsPart(problems.map(problem => `- ${problem}`).join('\n')) },
  })

/** Asks again for what could not be done of an answer. */
export const asksForEdits = (problems: string): DialogueMessage =>
  says({ prompt: 'task-coder-again', slots: { problems: problemsPart(problems) } })
