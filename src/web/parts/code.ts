import { html, type Html } from '../html.ts'

/** Lines of a file, to be shown with their numbers. */
export interface CodeShown {
  /** Of the first line, 1-based. */
  startLine: number
  lines: ReadonlyArray<string | Html>
  /** Numbers of the lines that stand out. */
  marked: readonly number[]
}

/** Numbered lines; a marked one has an arrow, too, for those who see no colours. */
export function codePart({ startLine, lines, marked }: CodeShown): Html {
  const width = String(startLine + lines.length - 1).length
  const rows = lines.map((line, at) => {
    const number = startLine + at
    const isMarked = marked.includes(number)
    const shown = html`<span class="number">${String(number).padStart(width)}</span>${isMarked ? '▶' : ' '} ${line}\n`
    return isMarked ? html`<mark>${shown}</mark>` : shown
  })
  return html`<pre class="code" tabindex="0"><code>${rows}</code></pre>`
}
