import { adviceOnPages } from '../advice.ts'
import { html, type Html } from '../html.ts'

/** What went wrong with a request, in the words of the problem that a route would answer. */
interface ProblemShown {
  title: string
  detail: string
  fix?: string | undefined
  code: string
  instance: string
}

/** The same within a page. */
export const problemLine = ({ detail, fix }: Pick<ProblemShown, 'detail' | 'fix'>): Html =>
  html`<p role="alert">${detail}${fix !== undefined && ` ${adviceOnPages(fix)}`}</p>`

/** An error for a person: what is wrong, what to do, and by which id the log has it. */
export const problemPart = ({ title, detail, fix, code, instance }: ProblemShown): Html => html`
<h1>${title}</h1>
<p role="alert">${detail}</p>
${fix !== undefined && html`<p>${adviceOnPages(fix)}</p>`}
<p class="quiet"><code>${code}</code> · <code>${instance}</code></p>
`
