import { html, type Html } from '../html.ts'

/** Lines of a file, to be shown with their numbers. */
export interface CodeShown {
  /** Of the first line, 1-based. */
  startLine: number
  lines: ReadonlyArray<string | Html>
  /** Numbers of the lines that stand out. */
  marked: readonly number[]
  /** Whether an address can name a line: `#L12`. */
  anchors?: boolean
}

/** Numbered lines; a marked one has an arrow, too, for those who see no colours. */
export function codePart({ startLine, lines, marked, anchors = false }: CodeShown): Html {
  const width = String(startLine + lines.length - 1).length
  const rows = lines.map((line, at) => {
    const number = startLine + at
    const isMarked = marked.includes(number)
    const anchor = anchors && html` id="L${number}"`
    const numbered = html`<span class="number"${anchor}>${String(number).padStart(width)}</span>`
    const shown = html`${numbered}${isMarked ? '▶' : ' '} ${line}\n`
    return isMarked ? html`<mark>${shown}</mark>` : shown
  })
  return html`<pre class="code" tabindex="0"><code>${rows}</code></pre>`
}
