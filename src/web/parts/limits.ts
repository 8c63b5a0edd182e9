import type { BudgetAnswer } from '../../contract/job.ts'
import { html, type Html } from '../html.ts'

/** The fields of a budget: what is left empty stays as it is, which the field shows in grey. */
export const limitFields = ({ tokens, seconds, usd }: BudgetAnswer = {}): Html => html`
<label>Tokens <input name="tokens" inputmode="numeric" size="10" placeholder="${tokens ?? ''}"></label>
<label>Seconds <input name="seconds" inputmode="decimal" size="8" placeholder="${seconds ?? ''}"></label>
<label>US dollars <input name="usd" inputmode="decimal" size="8" placeholder="${usd ?? ''}"></label>`
