import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { NO_TRACE_NOTICE } from '../../core/resolution.ts'
import { GONE_TEXT, linesText } from '../changed-since.ts'
import { investigationText } from '../investigation-text.ts'
import { originText } from '../origin-text.ts'
import { count, shortCommit, uncommittedText } from '../table.ts'
import { escapeLine, fenced, inlineCode, withoutActive } from './escape.ts'

type Exception = ResolutionAnswer['exceptions'][number]
type Frame = ResolutionAnswer['frames'][number]

const MAX_FRAMES = 20

function titleOf({ type, message }: Exception): string {
  const shown = [inlineCode(type ?? ''), escapeLine(message ?? '')].filter(part => part !== '')
  return shown.length === 0 ? 'An error' : shown.join(': ')
}

function frameItem({ path, code_line: codeLine, line, file, function: name, why }: Frame): string {
  const place = `${path ?? file ?? '(no file)'}:${codeLine ?? line ?? '?'}`
  return `- ${inlineCode(place)} in ${inlineCode(name ?? '(top level)')}: ${escapeLine(why)}`
}

function framesOf(exception: Exception, { frames }: ResolutionAnswer): string[] {
  const own = frames.filter(frame => frame.exception === exception.index)
  const left = own.length - MAX_FRAMES
  const more = left > 0 ? [`- ${count(left, 'frame')} before these`] : []
  return own.length === 0 ? [] : [[...more, ...own.slice(-MAX_FRAMES).map(frameItem)].join('\n')]
}

/** The files of a context, each under its name; the header of each says which lines these are. */
function codeOf({ context, sources }: ResolutionAnswer): string[] {
  if (context === '') return ['No code was found for this text.']
  const why = new Map(sources.map(source => [source.path, source.why]))
  return context.split(/\n\n(?==== File: )/).flatMap(section => {
    const [header = '', ...rows] = section.split('\n')
    const [, path = '', lines = ''] = /^=== File: (.+?) (\[.*?\])/.exec(header) ?? []
    const reason = why.get(path)
    const title = `${inlineCode(path)} ${escapeLine(lines)}${reason === undefined ? '' : `: ${escapeLine(reason)}`}`
    return [title, fenced(rows.join('\n'))]
  })
}

function namesOf({ dropped }: ResolutionAnswer): string[] {
  const names = dropped.map(place => (typeof place === 'string' ? place : place.path))
  return names.length === 0 ? [] : [`Less likely: ${[...new Set(names)].map(inlineCode).join(', ')}`]
}

function suspectsOf({ suspect_commits: suspects }: ResolutionAnswer): string[] {
  if (suspects.length === 0) return []
  const items = suspects.map(
    ({ commit, date, author, summary, why }) =>
      `- ${inlineCode(shortCommit(commit))} ${date.slice(0, 10)} ${escapeLine(author)}: ${escapeLine(summary)} ` +
      `(${escapeLine(why)})`,
  )
  return ['### Suspect commits', items.join('\n')]
}

function sinceOf({ changed_since: changes = [], failing_line_gone: isGone = false }: ResolutionAnswer): string[] {
  if (changes.length === 0 && !isGone) return []
  const items = changes.map(
    change =>
      `- ${inlineCode(shortCommit(change.commit))} ${change.date.slice(0, 10)} ${escapeLine(change.summary)} ` +
      `(${inlineCode(linesText(change))})`,
  )
  return [
    ...(isGone ? ['### Already fixed?', GONE_TEXT] : ['### Changed since']),
    ...(items.length === 0 ? [] : [items.join('\n')]),
  ]
}

function answerOf(resolution: ResolutionAnswer): string[] {
  const { answer, answer_error: error, model } = resolution
  if (answer === null) return error === null ? [] : [`The model gave no answer: ${escapeLine(error.message)}`]
  const looked = investigationText(resolution)
  const author = escapeLine(model ?? 'the model')
  const note = `Answer of ${author}. A model wrote it; nothing has been run.${looked === null ? '' : ` ${looked}`}`
  return ['### Explanation', withoutActive(answer.text).trim(), note]
}

/** The answer to a stack trace in Markdown, for an issue, a comment or an agent. */
export function resolutionMarkdown(resolution: ResolutionAnswer): string {
  const { exceptions, notice, project_name: project, commit, frames_omitted: omitted = 0 } = resolution
  const changed = uncommittedText(resolution.uncommitted_files)
  const origin = originText(resolution)
  const errors = exceptions.flatMap(exception => [`## ${titleOf(exception)}`, ...framesOf(exception, resolution)])
  return [
    ...(errors.length === 0 ? [escapeLine(NO_TRACE_NOTICE)] : errors),
    ...(origin === null ? [] : [escapeLine(origin)]),
    ...(omitted === 0 ? [] : [`${count(omitted, 'further frame')} farther away or in libraries.`]),
    ...(notice === undefined || notice === NO_TRACE_NOTICE ? [] : [`> ${escapeLine(notice)}`]),
    '### Code',
    ...codeOf(resolution),
    ...namesOf(resolution),
    ...sinceOf(resolution),
    ...suspectsOf(resolution),
    ...answerOf(resolution),
    `Code of ${inlineCode(project)} at ${inlineCode(shortCommit(commit))}${changed}; ${inlineCode(resolution.id)}`,
  ].join('\n\n')
}
