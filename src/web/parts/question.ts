import type { BudgetAnswer } from '../../contract/job.ts'
import { MAX_REPLY_CHARS } from '../../core/reply-limits.ts'
import { plain } from '../../text/paint.ts'
import { commentsLeft, requestDetail, requestHeading, type AskedRequest } from '../../text/request-text.ts'
import { html, type Html } from '../html.ts'
import { markdownPart } from './markdown.ts'
import { limitFields } from './limits.ts'
import { csrfField, type PageFrame } from './page.ts'

/** What a waiting job asks. */
interface Question {
  jobId: string
  /** Names this question: a later one is not answered by its form. */
  asked: string
  request: AskedRequest
}

const answerFields = html`
<label for="answer">Answer</label>
<textarea id="answer" name="answer" rows="4" maxlength="${MAX_REPLY_CHARS.answer}"></textarea>
<div class="row"><button type="submit" name="reply" value="answer" class="main">Answer</button>
<button type="submit" name="reply" value="skip">Skip: the model decides</button></div>`

const budgetFields = (limit?: BudgetAnswer): Html => html`
<div class="row">${limitFields(limit)}
</div>
<div class="row"><button type="submit" name="reply" value="budget">Go on with these limits</button>
<button type="submit" name="reply" value="skip">End with what there is</button></div>`

const commentField = (left: number): Html => html`
<label for="comment">What should be different (with a rejection, the model is asked again; ${left} left)</label>
<textarea id="comment" name="comment" rows="3" maxlength="${MAX_REPLY_CHARS.comment}"></textarea>`

function fieldsOf(request: AskedRequest): Html {
  if (request.kind === 'clarification') return answerFields
  if (request.kind === 'budget') return budgetFields(request.limit)
  const left = commentsLeft(request)
  return html`${left > 0 && commentField(left)}
<div class="row"><button type="submit" name="reply" value="approve" class="main">Approve</button>
<button type="submit" name="reply" value="reject">Reject</button></div>`
}

/** What a job asks a person, with a form for whoever may answer. Its diff stands elsewhere on the page. */
export function questionPart(frame: PageFrame, { jobId, asked, request }: Question): Html {
  const { explanation, diff: _diff, ...rest } = request
  const detail = requestDetail(rest, plain).trimEnd()
  return html`
<section class="question" aria-labelledby="question">
<h2 id="question">${requestHeading(request)}</h2>
${explanation !== undefined && html`<div class="answer">${markdownPart(explanation)}</div>`}
${detail !== '' && html`<pre class="code text" tabindex="0">${detail}</pre>`}
${
  frame.mayWrite
    ? html`<form method="post" action="${frame.prefix}/ui/jobs/${jobId}/reply">
${csrfField(frame)}<input type="hidden" name="asked" value="${asked}">
${fieldsOf(request)}
</form>`
    : html`<p class="quiet">Your key may only read: it cannot answer.</p>`
}
</section>`
}
