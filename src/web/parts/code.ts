import { html, type Html } from '../html.ts'

/** Lines of a file, to be shown with their numbers. */
export interface CodeShown {
  /** Of the first line, 1-based. */
  startLine: number
  lines: readonly string[]
  /** Numbers of the lines that stand out. */
  marked: readonly number[]
}

/** Code as a table of numbered lines; a marked one says so in a word, too, for those who see no colours. */
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
