import type { FrameAnswer, LocatedAnswer, ParseAnswer, ResolutionAnswer } from '../contract/resolution.ts'
import { bothEnds } from '../core/both-ends.ts'
import { NO_TRACE_NOTICE } from '../core/resolution.ts'
import type { Paint } from './paint.ts'
import { columns, count, milliseconds, shortCommit } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

const MAX_FRAMES = 60 // of a deep recursion both ends tell the story
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
function framesText(frames: readonly FrameAnswer[], paint: Paint): string {
  const half = MAX_FRAMES / 2
  const left = frames.length - MAX_FRAMES
  if (left <= 0) return columns(frames.map(frame => frameRow(frame, paint)))
  const rows = bothEnds(
    frames.map(frame => frameRow(frame, paint)),
    MAX_FRAMES,
  )
  const lines = columns(rows).split('\n')
  return [...lines.slice(0, half), paint('dim', `    … ${count(left, 'more frame')} …`), ...lines.slice(half)].join(
    '\n',
  )
}

function errorBlocks({ exceptions, frames }: Pick<LocatedAnswer, 'exceptions' | 'frames'>, paint: Paint): string[] {
  if (exceptions.length === 0 && frames.length === 0) return [paint('yellow', NO_TRACE_NOTICE)]
  const blocks = exceptions.map(exception => {
    const { type, message, relation, count: copies } = exception
    const title = [type, message]
      .filter(part => part !== null && part !== '')
      .map(part => printableLine(part ?? ''))
      .join(': ')
    const notes = [relation === 'root' ? '' : RELATION[relation], copies > 1 ? `${copies} times` : '']
      .filter(note => note !== '')
      .join(', ')
    const shownNotes = notes === '' ? '' : paint('dim', `  (${notes})`)
    const head = `${paint(['bold', 'red'], title === '' ? 'An error' : title)}${shownNotes}`
    const own = frames.filter(frame => frame.exception === exception.index)
    return own.length === 0 ? head : `${head}\n${framesText(own, paint)}`
  })
  const known = new Set(exceptions.map(({ index }) => index))
  const others = frames.filter(frame => !known.has(frame.exception))
  return others.length === 0 ? blocks : [...blocks, framesText(others, paint)]
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

function droppedLine({ dropped, context_tokens: tokens }: LocatedAnswer, paint: Paint): string[] {
  if (dropped.length === 0) return []
  const places = dropped
    .slice(0, MAX_SHOWN_DROPPED)
    .map(({ path, start_line: start, end_line: end }) => `${printableLine(path)}:${start}-${end}`)
  const more = dropped.length > places.length ? ` and ${dropped.length - places.length} more` : ''
  const limit = `${count(tokens, 'token')} (--max-context-tokens raises the limit)`
  return [paint('dim', `Left out to keep the context at ${limit}: ${places.join(', ')}${more}`)]
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

function commitLine(located: LocatedAnswer, paint: Paint): string {
  const { project_name: project, commit, index_state: state, context_tokens: tokens } = located
  const code = `Code of ${project} as committed in ${shortCommit(commit)}`
  const index = state === 'ready' ? '' : `; the index is ${state}`
  return paint('dim', `${code}, ${count(tokens, 'token')} of context${index}.`)
}

/** Everything but the answer, for a person: the errors with their frames, then the context. */
export function locatedText(located: LocatedAnswer, paint: Paint): string {
  const { context } = located
  return [
    ...errorBlocks(located, paint),
    context === '' ? paint('yellow', 'No code was found for this text.') : contextText(context, paint),
    ...droppedLine(located, paint),
    ...suspectBlock(located, paint),
    commitLine(located, paint),
  ].join('\n\n')
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
    const remark = error === null ? '' : ` ${printableLine(error.message)}`
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
    return paint('dim', 'No explanation was asked for; --mode answer asks the model for one.')
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
