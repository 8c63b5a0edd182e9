import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { html, type Html } from '../html.ts'
import { diffPart, type DiffFile } from './diff.ts'
import { markdownPart } from './markdown.ts'

/** The element that an answer comes into. */
export const ANSWER_ID = 'answer'

/** A patch as a page shows it. */
interface PatchShown {
  files: readonly DiffFile[]
  isCut: boolean
}

const statusText = (status: string): string =>
  status === 'applies' ? 'The patch applies to this commit.' : `The patch does not apply: ${status}.`

const patchPart = (id: string, status: string, { files, isCut }: PatchShown): Html => html`
<p class="notice">${statusText(status)}</p>
${files.map(file => diffPart(file, 'unified', ' in the patch'))}
${isCut && html`<p class="notice">The patch goes on; all of it: <code>GET /resolutions/${id}</code>.</p>`}`

/**
 * The model's answer, or why there is none.
 *
 * @param patch - The answer's own; null where it has none.
 */
export function answerPart(
  { id, answer, answer_error: error, model }: ResolutionAnswer,
  patch: PatchShown | null,
): Html | null {
  if (answer !== null) {
    const remark = error === null ? '' : ` ${error.message}`
    return html`
<div class="answer">${markdownPart(answer.text, { withoutDiffs: patch !== null })}
${patch !== null && patchPart(id, answer.patch_status, patch)}</div>
<p class="quiet">By ${model ?? 'a model'}. A model wrote it; nothing has been run.${remark}</p>`
  }
  return error === null ? null : html`<p role="alert">The model gave no answer: ${error.message}</p>`
}
