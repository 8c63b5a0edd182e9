import type { DiffLine } from '../../text/diff-lines.ts'
import { html, type Html, type Part } from '../html.ts'

/** A line of a diff, without its sign. */
export interface DiffRow extends Omit<DiffLine, 'line'> {
  text: string | Html
}

/** What a diff does to one file. */
export interface DiffFile {
  path: string
  rows: readonly DiffRow[]
}

/** A page of a diff, from 1, and how many there are. */
export interface DiffPage {
  files: readonly DiffFile[]
  page: number
  pages: number
}

/** How a diff is shown. */
export type DiffView = 'unified' | 'split'

const SIGNS: Readonly<Partial<Record<DiffRow['kind'], string>>> = { removed: '−', added: '+' }

const heading = (text: Part, columns: number): Html => html`
<tr class="hunk"><td colspan="${columns}">${text}</td></tr>`

function unifiedRow({ kind, oldLine, newLine, text }: DiffRow): Html {
  if (kind === 'hunk' || kind === 'other' || kind === 'file') return heading(text, 4)
  return html`
<tr class="${kind}"><td class="number">${oldLine}</td><td class="number">${newLine}</td>\
<td class="sign">${SIGNS[kind]}</td><td><code>${text}</code></td></tr>`
}

/** A line of one side beside its counterpart of the other. */
interface Pair {
  left: DiffRow | null
  right: DiffRow | null
}

/** Lines that go beside those that come in their place. */
function pairsOf(rows: readonly DiffRow[]): Array<Pair | DiffRow> {
  const pairs: Array<Pair | DiffRow> = []
  let removed: DiffRow[] = []
  let added: DiffRow[] = []
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null })
    }
    ;[removed, added] = [[], []]
  }
  for (const row of rows) {
    if (row.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(row)
    } else if (row.kind === 'added') added.push(row)
    else {
      flush()
      pairs.push(row.kind === 'same' ? { left: row, right: row } : row)
    }
  }
  flush()
  return pairs
}

function cells(row: DiffRow | null, side: 'oldLine' | 'newLine'): Html {
  if (row === null) return html`<td class="number"></td><td class="sign"></td><td></td>`
  return html`<td class="number">${row[side]}</td><td class="sign ${row.kind}">${SIGNS[row.kind]}</td>\
<td class="${row.kind}"><code>${row.text}</code></td>`
}

const splitRow = (one: Pair | DiffRow): Html =>
  'kind' in one ? heading(one.text, 6) : html`<tr>${cells(one.left, 'oldLine')}${cells(one.right, 'newLine')}</tr>`

function tablePart({ path, rows }: DiffFile, view: DiffView, by: string): Html {
  const shown = view === 'split' ? pairsOf(rows).map(splitRow) : rows.map(unifiedRow)
  return html`
<div class="scroll" tabindex="0" role="region" aria-label="Changes of ${path}${by}">
<table class="${view}"><tbody>${shown}</tbody></table></div>`
}

/**
 * The changes of a file, as a table with the numbers of lines before and after.
 *
 * @param by - Tells a reader of the screen who made them, where a page has several for one file.
 */
export const diffPart = (file: DiffFile, view: DiffView, by = ''): Html => html`
<section class="diff">
<h3><code>${file.path}</code></h3>
${file.rows.length === 0 ? html`<p class="quiet">No lines change.</p>` : tablePart(file, view, by)}
</section>`
