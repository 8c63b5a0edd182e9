/** What a template takes in a place: text, which is escaped; markup, which stands as it is; nothing; or several. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Control characters that no HTML document may hold; browsers show nothing or a box for them. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\0-\x08\x0b\x0e-\x1f\x7f]/g

/** A text as it stands in an element or in a quoted attribute. */
const escapeHtml = (text: string): string =>
  text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"'`]/g, one => ESCAPES[one] ?? one)

/** Markup. Only `html` and `trusted` make some, so that a text cannot pass for it. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  if (typeof part === 'string') return escapeHtml(part)
  return typeof part === 'number' ? String(part) : part.map(markupOf).join('')
}

/**
 * A template of markup: whatever is put into it is escaped unless it is markup itself. A place may stand between tags
 * or in a quoted attribute, nowhere else.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((all, text, at) => all + markupOf(parts[at - 1]) + text))
}

/** What a library has made and escaped, as markup. */
export const trusted = (markup: string): Html => new Html(markup)

/**
 * An address for a link; null for anything but HTTP, as `javascript:` and its like do something when they are clicked.
 */
export function safeUrl(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
