import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { html, type Html } from '../html.ts'
import { ANSWER_ID } from './answer.ts'
import { csrfField, type PageFrame } from './page.ts'

/** What may be asked for. */
interface Possible {
  hasModel: boolean
  /** Whether the text was kept that a model would be asked about. */
  hasTrace: boolean
}

const NO_MODEL = html`<p class="quiet">No model is configured: set LLM_BASE_URL and LLM_MODEL.</p>`
const NO_TRACE = html`<p class="quiet">The text was too long to be kept. Paste the part of it around the error on the \
first page: that can be explained and fixed.</p>`

/** The address of a resolution's page. */
export const resolutionPath = ({ prefix }: PageFrame, id: string): string => `${prefix}/ui/resolutions/${id}`

/** What asks for an explanation: with a script it streams into the page, without one it becomes a page of its own. */
export function explanationPart(
  frame: PageFrame,
  { id, answer }: ResolutionAnswer,
  { written, hasModel, hasTrace }: Possible & { written: Html | null },
): Html {
  const action = `${resolutionPath(frame, id)}/answer`
  const form = html`
<form method="post" action="${action}" data-streams="#${ANSWER_ID}" hx-post="${action}" hx-target="#${ANSWER_ID}" \
hx-swap="beforeend">
${csrfField(frame)}
<button type="submit" class="main">Explain</button> <span class="quiet">asks the model</span>
</form>`
  const lookAround = html`
<form method="post" action="${resolutionPath(frame, id)}/investigate">${csrfField(frame)}
<button type="submit">Investigate</button>
<span class="quiet">a job: the model first looks around in the code</span>
</form>`
  const forms = html`<div class="row"><div data-asks>${answer === null && form}</div>${lookAround}</div>`
  return html`
<section>
<h2>Explanation</h2>
<div id="${ANSWER_ID}" tabindex="0" role="region" aria-label="Answer" aria-live="polite">${written}</div>
${hasModel && frame.mayWrite && (hasTrace ? forms : NO_TRACE)}
${written === null && !hasModel && NO_MODEL}
</section>`
}

/** What asks for a change: it becomes a job. */
export function fixPart(frame: PageFrame, { id }: ResolutionAnswer, possible: Possible): Html | null {
  if (!frame.mayWrite || !possible.hasModel || !possible.hasTrace) return null
  return html`
<section>
<h2>Fix</h2>
<form method="post" action="${resolutionPath(frame, id)}/fix">${csrfField(frame)}
<p><label for="command">Command that fails today and has to pass</label><br>
<input id="command" name="command" maxlength="10000" placeholder="npm test" aria-describedby="command-default"></p>
<p class="quiet" id="command-default">It runs in the sandbox, before and after the change. Left empty: the project's own
check, if it has one.</p>
<p><label><input type="checkbox" name="reproduce" value="yes">
First write a test that fails as the trace says</label></p>
<p><label>Candidates <input name="candidates" type="number" min="1" max="5" value="1"></label></p>
<button type="submit" class="main">Fix it</button> <span class="quiet">a job, which asks before it ends</span>
</form>
</section>`
}

/** What people think of the answer. */
export function feedbackPart(frame: PageFrame, { id }: ResolutionAnswer, { isThanked }: { isThanked: boolean }): Html {
  const action = `${resolutionPath(frame, id)}/feedback`
  return html`
<section id="feedback">
<h2>Did it help?</h2>
${isThanked && html`<p role="status">Thank you: it is kept with the answer.</p>`}
<form method="post" action="${action}">${csrfField(frame)}
<p><label for="actual_path">The file that really had to change</label><br>
<input id="actual_path" name="actual_path" maxlength="1000" placeholder="src/shop/prices.py"></p>
<p><label for="feedback_comment">Comment</label><br>
<textarea id="feedback_comment" name="comment" rows="2" maxlength="4000"></textarea></p>
<div class="row"><button type="submit" name="helpful" value="yes">Yes</button>
<button type="submit" name="helpful" value="no">No</button></div>
</form>
</section>`
}
