import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { html, type Html } from '../html.ts'
import { markdownPart } from './markdown.ts'

/** The element that an answer comes into. */
export const ANSWER_ID = 'answer'

/** The model's answer, or why there is none. */
export function answerPart({ answer, answer_error: error, model }: ResolutionAnswer): Html | null {
  if (answer !== null) {
    const remark = error === null ? '' : ` ${error.message}`
    return html`
<div class="answer">${markdownPart(answer.text)}</div>
<p class="quiet">By ${model ?? 'a model'}. A model wrote it; nothing has been run.${remark}</p>`
  }
  return error === null ? null : html`<p role="alert">The model gave no answer: ${error.message}</p>`
}
