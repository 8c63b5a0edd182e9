import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { GONE_TEXT, linesText } from '../../text/changed-since.ts'
import { shortCommit } from '../../text/table.ts'
import { html, type Html } from '../html.ts'
import type { PageFrame } from './page.ts'
import { resolutionPath } from './resolution-forms.ts'
import { timePart } from './time.ts'

type Suspect = ResolutionAnswer['suspect_commits'][number]

const STATES: Readonly<Record<ResolutionAnswer['suspects_status'], string | null>> = {
  ok: null,
  pending: 'Who changed these lines is still being looked up. Load the page again soon.',
  timed_out: 'The time was up; there may be others.',
  shallow_history: 'The history of the repository is not here yet.',
}

function suspectItem(path: string, { commit, author, date, summary, why }: Suspect): Html {
  const address = `${path}/suspects/${commit}`
  return html`
<li><details hx-get="${address}" hx-trigger="toggle once" hx-target="find .changes">
<summary><code>${shortCommit(commit)}</code> ${summary}
<span class="quiet">${author}, ${timePart(date, 'day')}; ${why}</span></summary>
<div class="changes"><a href="${address}">What it changed</a></div></details></li>`
}

const changeItem = (change: NonNullable<ResolutionAnswer['changed_since']>[number]): Html => html`
<li><code>${shortCommit(change.commit)}</code> ${change.summary}
<span class="quiet">${timePart(change.date, 'day')}; \
${linesText(change)}</span></li>`

/** The commits that changed the failing code, and what was changed in it since. */
export function suspectsPart(frame: PageFrame, resolution: ResolutionAnswer): Html {
  const { suspect_commits: suspects, suspects_status: status, changed_since: since = [] } = resolution
  const state = STATES[status]
  const path = resolutionPath(frame, resolution.id)
  return html`
<section>
<h2>Suspect commits</h2>
${state !== null && html`<p>${state}</p>`}
${suspects.length === 0 && status === 'ok' && html`<p class="quiet">None.</p>`}
<ul class="list">${suspects.map(suspect => suspectItem(path, suspect))}</ul>
${resolution.failing_line_gone === true && html`<p class="notice">${GONE_TEXT}</p>`}
${since.length > 0 && html`<h3>Changed since</h3><ul class="list">${since.map(changeItem)}</ul>`}
</section>`
}
