import type { FrameAnswer, LocatedAnswer, ParseAnswer, ResolutionAnswer } from '../contract/resolution.ts'
import { bothEnds } from '../core/both-ends.ts'
import { NO_TRACE_NOTICE } from '../core/resolution.ts'
import { NOTHING_COMMITTED } from '../core/uncommitted.ts'
import { GONE_TEXT, linesText, type LaterChanges } from './changed-since.ts'
import { codePage } from './code-page.ts'
import { investigationText } from './investigation-text.ts'
import { originText } from './origin-text.ts'
import type { Paint } from './paint.ts'
import { columns, count, milliseconds, shortCommit, uncommittedText } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

const MAX_FRAMES = 60 // of a deep recursion both ends tell the story
/** The same in a short answer, which is to be seen at a glance. */
const MAX_SHORT_FRAMES = 12
const MAX_SHORT_EXCEPTIONS = 4
const MAX_SHORT_CHANGES = 3
const MAX_TITLE_CHARS = 400
const PAGE_LINES = 60
const LEAST_CODE_LINES = 16
/** Lines that follow on the code: the answer's state and what to do next. */
const LINES_AFTER = 10
const MAX_SHOWN_DROPPED = 5

const RELATION: Record<string, string> = {
  cause: 'the cause of another one',
  context: 'while this one was handled, another one came',
  suppressed: 'suppressed',
  grouped: 'one of a group',
  separate: 'a failure of its own',
}

const MAX_PLACE_CHARS = 60

/** A place, cut at its beginning: the end of a path says more. */
const short = (place: string): string =>
  place.length <= MAX_PLACE_CHARS ? place : `…${place.slice(1 - MAX_PLACE_CHARS)}`

function frameRow(frame: FrameAnswer, paint: Paint): string[] {
  const { path, in_project: inProject, code_line: codeLine, line, file, function: name, repeat, why } = frame
  const called = `${printableLine(name ?? '(top level)')}${repeat > 1 ? ` (${repeat} times)` : ''}`
  if (inProject && path !== null) {
    const place = `${printableLine(path)}${codeLine === null ? '' : `:${codeLine}`}`
    return [
      `  ${paint('red', '>')}`,
      paint(['bold', 'cyan'], place),
      paint('bold', called),
      paint('dim', printableLine(why)),
    ]
  }
  const atLine = line === null ? '' : `:${line}`
  const place = file === null ? printableLine(frame.raw.trim()) : `${printableLine(file)}${atLine}`
  return ['   ', ...[short(place), called, printableLine(why)].map(cell => paint('dim', cell))]
}

/** Frames as columns, the failing one last: those of the project stand out, the others say why they are not in it. */
function framesText(frames: readonly FrameAnswer[], paint: Paint, most = MAX_FRAMES): string {
  const half = most / 2
  const left = frames.length - most
  if (left <= 0) return columns(frames.map(frame => frameRow(frame, paint)))
  const rows = bothEnds(
    frames.map(frame => frameRow(frame, paint)),
    most,
  )
  const lines = columns(rows).split('\n')
  return [...lines.slice(0, half), paint('dim', `    … ${count(left, 'more frame')} …`), ...lines.slice(half)].join(
    '\n',
  )
}

/** How much of an answer is shown, and how its reader gets the rest. */
interface View {
  /** A short answer: a page, whatever its code. */
  isPage: boolean
  mostFrames: number
  /** What to add to the request to see everything. */
  fullBy: string
}

function viewOf(located: Pick<LocatedAnswer, 'exceptions'> & { frames_omitted?: number }, fullBy: string): View {
  const isPage = located.frames_omitted !== undefined
  const shared = Math.max(4, Math.floor(MAX_SHORT_FRAMES / Math.max(1, located.exceptions.length)))
  return { isPage, mostFrames: isPage ? shared : MAX_FRAMES, fullBy }
}

const EVERYTHING: View = { isPage: false, mostFrames: MAX_FRAMES, fullBy: '' }

function titleOf({ type, message }: LocatedAnswer['exceptions'][number], { isPage }: View): string {
  const title = [type, message]
    .filter(part => part !== null && part !== '')
    .map(part => printableLine(part ?? ''))
    .join(': ')
  if (title === '') return 'An error'
  return isPage && title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS)}…` : title
}

function errorBlock(
  exception: LocatedAnswer['exceptions'][number],
  own: readonly FrameAnswer[],
  { paint, view }: { paint: Paint; view: View },
): string {
  const { relation, count: copies } = exception
  const notes = [relation === 'root' ? '' : RELATION[relation], copies > 1 ? `${copies} times` : '']
    .filter(note => note !== '')
    .join(', ')
  const shownNotes = notes === '' ? '' : paint('dim', `  (${notes})`)
  const head = `${paint(['bold', 'red'], titleOf(exception, view))}${shownNotes}`
  return own.length === 0 ? head : `${head}\n${framesText(own, paint, view.mostFrames)}`
}

function omittedFrames(
  { frames_omitted: omitted = 0 }: { frames_omitted?: number },
  paint: Paint,
  view: View,
): string[] {
  if (omitted === 0) return []
  const are = omitted === 1 ? 'more frame is' : 'more frames are'
  return [paint('dim', `${omitted} ${are} farther away or in libraries (${view.fullBy} shows all).`)]
}

function errorBlocks(
  { exceptions, frames, ...rest }: Pick<LocatedAnswer, 'exceptions' | 'frames'> & { frames_omitted?: number },
  paint: Paint,
  view: View = EVERYTHING,
): string[] {
  if (exceptions.length === 0 && frames.length === 0) return [paint('yellow', NO_TRACE_NOTICE)]
  const shown = view.isPage ? exceptions.slice(-MAX_SHORT_EXCEPTIONS) : exceptions
  const left = exceptions.length - shown.length
  const more = left === 0 ? [] : [paint('dim', `${count(left, 'earlier error')} (${view.fullBy} shows all).`)]
  const blocks = shown.map(exception =>
    errorBlock(
      exception,
      frames.filter(frame => frame.exception === exception.index),
      { paint, view },
    ),
  )
  const known = new Set(exceptions.map(({ index }) => index))
  const others = frames.filter(frame => !known.has(frame.exception))
  const unknown = others.length === 0 ? [] : [framesText(others, paint, view.mostFrames)]
  return [...more, ...blocks, ...unknown, ...omittedFrames(rest, paint, view)]
}

/** The context; on a terminal its headers and the lines of the trace are coloured. */
export function contextText(context: string, paint: Paint): string {
  return printable(context)
    .split('\n')
    .map(line => {
      if (line.startsWith('===')) return paint(['bold', 'cyan'], line)
      return line.startsWith('>>>') ? paint(['bold', 'yellow'], line) : line
    })
    .join('\n')
}

/** Files that were left out: their places where those are known, else their names. */
function droppedLine({ dropped, context_tokens: tokens }: LocatedAnswer, paint: Paint): string[] {
  if (dropped.length === 0) return []
  const places = dropped.slice(0, MAX_SHOWN_DROPPED).map(place => {
    if (typeof place === 'string') return printableLine(place)
    return `${printableLine(place.path)}:${place.start_line}-${place.end_line}`
  })
  const more = dropped.length > places.length ? ` and ${dropped.length - places.length} more` : ''
  const limit = `${count(tokens, 'token')} (--max-context-tokens raises the limit)`
  const title = typeof dropped[0] === 'string' ? 'Less likely' : `Left out to keep the context at ${limit}`
  return [paint('dim', `${title}: ${places.join(', ')}${more}`)]
}

/** Who changed the lines of the trace; nothing while the history is missing. */
function suspectBlock({ suspect_commits: suspects, suspects_status: status }: LocatedAnswer, paint: Paint): string[] {
  if (status === 'pending') {
    return [paint('dim', 'Who changed these lines is still being looked up; the same command a moment later shows it.')]
  }
  if (suspects.length === 0) return []
  const rows = suspects.map(({ commit, date, author, summary, why }) => [
    `  ${paint('yellow', shortCommit(commit))}`,
    date.slice(0, 10),
    printableLine(author),
    printableLine(summary),
    paint('dim', printableLine(why)),
  ])
  const note = status === 'timed_out' ? paint('dim', ' (the time was up; there may be others)') : ''
  return [`${paint('bold', 'Suspect commits')}${note}\n${columns(rows)}`]
}

/** Which later commits changed the failing code; nothing where it is read as it is indexed. */
function sinceBlock(
  { changed_since: changes = [], failing_line_gone: isGone = false }: LaterChanges,
  paint: Paint,
  { isPage }: View,
): string[] {
  const shown = isPage ? changes.slice(0, MAX_SHORT_CHANGES) : changes
  const head = isGone
    ? `${paint(['bold', 'green'], 'Already fixed?')} ${GONE_TEXT}`
    : paint('bold', 'Changed since by later commits')
  if (shown.length === 0) return isGone ? [head] : []
  const rows = shown.map(change => [
    `  ${paint('yellow', shortCommit(change.commit))}`,
    change.date.slice(0, 10),
    printableLine(change.summary),
    paint('dim', printableLine(linesText(change))),
  ])
  const left = changes.length - shown.length
  const more = left === 0 ? '' : paint('dim', `\n  and ${left} more`)
  return [`${head}\n${columns(rows)}${more}`]
}

function commitLine(located: LocatedAnswer, paint: Paint): string {
  const {
    project_name: project,
    commit,
    index_state: state,
    context_tokens: tokens,
    uncommitted_files: files,
  } = located
  const place = commit === NOTHING_COMMITTED ? ', nothing committed yet,' : ` as committed in ${shortCommit(commit)}`
  const code = `Code of ${project}${place}${uncommittedText(files)}`
  const index = state === 'ready' ? '' : `; the index is ${state}`
  return paint('dim', `${code}, ${count(tokens, 'token')} of context${index}.`)
}

/** The code of an answer: of a short one as much as its page has room for. */
function codeBlock(
  { context, notice }: LocatedAnswer,
  paint: Paint,
  { view, others }: { view: View; others: number },
): string[] {
  const warning = notice === undefined || notice === NO_TRACE_NOTICE ? [] : [paint('yellow', printableLine(notice))]
  if (context === '') return warning.length > 0 ? warning : [paint('yellow', 'No code was found for this text.')]
  if (!view.isPage) return [...warning, contextText(context, paint)]
  const { text, omitted } = codePage(context, Math.max(LEAST_CODE_LINES, PAGE_LINES - LINES_AFTER - others))
  const more =
    omitted === 0 ? '' : paint('dim', `\n${count(omitted, 'further line')} of code (${view.fullBy} shows all).`)
  return [...warning, contextText(text, paint) + more]
}

/** Lines that blocks take, each with an empty one behind it. */
const linesOf = (blocks: readonly string[]): number =>
  blocks.reduce((sum, block) => sum + block.split('\n').length + 1, 0)

/** What the faults of a CI run have, too. */
type Told = Pick<ResolutionAnswer, 'origin' | 'origin_why'>

/**
 * Everything but the answer, for a person: the errors with their frames, then the code; of a short answer one page.
 *
 * @param fullBy - What the reader adds to the request to see everything.
 */
export function locatedText(located: LocatedAnswer & Told, paint: Paint, { fullBy = '--full' } = {}): string {
  const view = viewOf(located, fullBy)
  const origin = originText(located)
  const errors = [...errorBlocks(located, paint, view), ...(origin === null ? [] : [paint('bold', origin)])]
  const rest = [
    ...droppedLine(located, paint),
    ...sinceBlock(located, paint, view),
    ...suspectBlock(located, paint),
    commitLine(located, paint),
  ]
  return [...errors, ...codeBlock(located, paint, { view, others: linesOf([...errors, ...rest]) }), ...rest].join(
    '\n\n',
  )
}

/** The errors with their frames, for a person. */
export function parsedText({ exceptions, frames }: ParseAnswer, paint: Paint): string {
  if (exceptions.length === 0 && frames.length === 0) return paint('yellow', 'There is no stack trace in this text.')
  return errorBlocks({ exceptions, frames }, paint).join('\n\n')
}

/** The heading of the model's answer. */
export const answerHeading = (paint: Paint): string => paint('bold', '--- Explanation ---')

/** The model's answer, or how to get one. With `streamed` the text has been shown already. */
export function answerText(resolution: ResolutionAnswer, paint: Paint, { streamed = false } = {}): string {
  const { answer, answer_status: status, answer_error: error, model, usage, timings_ms: timings } = resolution
  if (status === 'ok' && answer !== null) {
    const spent = [
      `${count(usage.prompt_tokens, 'token')} in`,
      `${usage.completion_tokens} out`,
      ...(usage.usd === null ? [] : [`${usage.usd.toFixed(4)} USD`]),
      milliseconds(timings.llm),
    ]
    const author = printableLine(model ?? 'the model')
    const looked = investigationText(resolution)
    const remark = [looked, error === null ? null : printableLine(error.message)]
      .flatMap(said => (said === null ? [] : [` ${said}`]))
      .join('')
    const note = paint(
      'dim',
      `Answer of ${author}: ${spent.join(', ')}. A model wrote it; nothing has been run.${remark}`,
    )
    return streamed ? note : `${answerHeading(paint)}\n\n${printable(answer.text).trim()}\n\n${note}`
  }
  if (status === 'failed') {
    return paint('yellow', `The model gave no answer: ${printableLine(error?.message ?? 'no reason was given')}`)
  }
  if (status === 'not_requested') {
    return paint('dim', 'No explanation was asked for; mode "answer" asks the model for one.')
  }
  return `${paint('yellow', 'No model is configured, so there is no explanation.')} Set LLM_BASE_URL and LLM_MODEL (and LLM_API_KEY where the server wants one), e.g.\n  LLM_BASE_URL=http://127.0.0.1:11434/v1 LLM_MODEL=qwen2.5-coder`
}

/** What determines the suggested next commands. */
export interface NextHints {
  /**
   * Whether the project was made for the repository around the current folder: other commands would look for it
   * elsewhere.
   */
  inRepository: boolean
}

/** Suggested next commands. */
export function nextText(resolution: ResolutionAnswer, paint: Paint, { inRepository }: NextHints): string {
  const roots = resolution.exceptions.filter(({ relation }) => relation === 'root' || relation === 'separate')
  const hints: Array<[option: string, meaning: string]> = []
  if (roots.length > 1) {
    hints.push([`--exception ${roots[0]?.index ?? 0}`, `another one of the ${roots.length} failures in this text`])
  }
  if (inRepository) hints.push(['--ref <tag or commit>', 'the code as it was when this happened'])
  else hints.push([`faultline search "words" --project ${resolution.project_name}`, 'more of the code'])
  hints.push(['--json', 'all of this for a program'])
  return paint('dim', `Next:\n${columns(hints.map(([option, meaning]) => [` ${option}`, meaning]))}`)
}
