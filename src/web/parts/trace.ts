import type { ResolutionAnswer } from '../../contract/resolution.ts'
import type { Excerpts } from '../excerpts.ts'
import { html, type Html, type Part } from '../html.ts'
import { codePart } from './code.ts'

type Exception = ResolutionAnswer['exceptions'][number]
type Frame = ResolutionAnswer['frames'][number]
type Source = ResolutionAnswer['sources'][number]

/** A line of code that a forge may show. */
export interface CodePlace {
  repository: string
  path: string
  line: number
}

/** What is known about places of the code, besides a resolution. */
export interface CodeShownBy {
  excerpts: Excerpts
  /** The page of the whole file, and that of the forge for the line; null where there is none. */
  pagesOf(place: CodePlace): { file: string | null; forge: string | null }
}

/** Frames whose code is open at first: the nearest ones, which of most traces are all. */
const OPEN_FRAMES = 10

/** An error in one line. */
const titleOf = ({ type, message }: Exception): string =>
  [type, message].filter(part => part !== null && part !== '').join(': ') || 'An error'

const placeOf = ({ path, file, code_line: codeLine, line }: Frame): string =>
  `${path ?? file ?? '(no file)'}:${codeLine ?? line ?? '?'}`

/** A headline has so much of an error; its section has all that it says. */
const MAX_TITLE_CHARS = 200

const shortTitleOf = (exception: Exception): string => {
  const title = titleOf(exception)
  return title.length <= MAX_TITLE_CHARS ? title : `${title.slice(0, MAX_TITLE_CHARS)} …`
}

/** What broke and where, in one line. */
export function headlineOf({ exceptions, frames }: ResolutionAnswer): string {
  const [last] = exceptions.slice(-1)
  if (last === undefined) return 'No stack trace was found in the text'
  const failing = frames.findLast(frame => frame.in_project && frame.path !== null)
  const title = shortTitleOf(last)
  return failing === undefined ? title : `${title} in ${placeOf(failing)}`
}

function linksPart(place: CodePlace, { pagesOf }: CodeShownBy): Html | null {
  const { file, forge } = pagesOf(place)
  if (file === null && forge === null) return null
  const label = `${place.path}:${place.line}`
  return html`<p class="beside row">\
${file !== null && html`<a href="${file}" aria-label="${label} in its file">in its file</a>`}\
${forge !== null && html` <a href="${forge}" rel="noreferrer" aria-label="${label} at the forge">at the forge</a>`}</p>`
}

function frameLinks({ repository, path, code_line: line }: Frame, shown: CodeShownBy): Part {
  return repository !== null && path !== null && line !== null && linksPart({ repository, path, line }, shown)
}

function frameItem(frame: Frame, shown: CodeShownBy & { isOpen: boolean }): Html {
  const { function: name, why, in_project: isOwn, repeat } = frame
  const times = repeat > 1 ? ` (${repeat} times)` : ''
  const head = html`<code>${placeOf(frame)}</code> in <code>${name ?? '(top level)'}</code>${times}
<span class="quiet">${why}</span>`
  const code = shown.excerpts.get(frame)
  if (code === undefined) return html`<li${!isOwn && html` class="other"`}>${head}</li>`
  const openNow = shown.isOpen && html` open`
  return html`<li><details${openNow}><summary>${head}</summary>\
${codePart(code)}${frameLinks(frame, shown)}</details></li>`
}

/** An exception with its frames, the nearest ones open. */
export function exceptionPart(exception: Exception, { frames }: ResolutionAnswer, shown: CodeShownBy): Html {
  const own = frames.filter(frame => frame.exception === exception.index)
  const withCode = own.filter(frame => frame.in_project && frame.path !== null)
  const open = new Set(withCode.slice(-OPEN_FRAMES))
  return html`
<section>
<h2>${titleOf(exception)}</h2>
<ol class="frames">${own.map(frame => frameItem(frame, { ...shown, isOpen: open.has(frame) }))}</ol>
</section>`
}

function sourceItem(source: Source, shown: CodeShownBy): Html {
  const { repository, path, start_line: start, end_line: end, reason, why, symbol } = source
  const code = shown.excerpts.get(source)
  const head = html`<code>${path}:${start}-${end}</code> ${symbol !== null && html`<code>${symbol}</code>`}
<span class="reason">${reason}</span> <span class="quiet">${why}</span>`
  if (code === undefined) return html`<li>${head}</li>`
  const links = linksPart({ repository, path, line: start }, shown)
  const last = code.startLine + code.lines.length - 1
  const rest = last < end && html`<p class="quiet">Lines ${last + 1} to ${end} are in its file.</p>`
  return html`<li><details><summary>${head}</summary>${codePart(code)}${rest}${links}</details></li>`
}

/** The places that may hold the cause, each with why it was chosen. */
export const sourcesPart = (sources: readonly Source[], shown: CodeShownBy): Html => html`
<section>
<h2>Sources</h2>
<ul class="list">${sources.map(source => sourceItem(source, shown))}</ul>
</section>`
