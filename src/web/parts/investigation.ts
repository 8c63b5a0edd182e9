import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { investigationText } from '../../text/investigation-text.ts'
import { html, type Html } from '../html.ts'

type Step = NonNullable<ResolutionAnswer['investigation']>['steps'][number]

const stepItem = ({ tool, arguments: args, outcome, summary }: Step): Html => html`
<li><code>${tool}</code> <code>${args}</code> <span class="reason">${outcome}</span>
<span class="quiet">${summary}</span></li>`

const missingPart = (missing: NonNullable<ResolutionAnswer['citations']>): Html => html`
<p class="notice">The answer names what is not there:</p>
<ul class="list">${missing.map(
  ({ text, why }) => html`<li><code>${text}</code> <span class="quiet">${why}</span></li>`,
)}</ul>`

/** What a model looked at before it answered, and what of its answer does not exist; null where it was not asked to. */
export function investigationPart(resolution: ResolutionAnswer): Html | null {
  const { investigation, citations = [] } = resolution
  if (investigation === undefined) return null
  const missing = citations.filter(({ exists }) => !exists)
  return html`
<section>
<h2>Investigation</h2>
<p>${investigationText(resolution)}</p>
<ol class="frames">${investigation.steps.map(stepItem)}</ol>
${missing.length > 0 && missingPart(missing)}
</section>`
}
