import { html, type Html } from '../html.ts'

/** Copies the address of the page (`link`) or the text of a field (`#its-id`); without a script it is not there. */
export const copyButton = (what: string, label: string): Html =>
  html`<button type="button" data-copy="${what}" hidden>${label}</button>`
