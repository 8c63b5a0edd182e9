import { shortened } from '../../core/both-ends.ts'
import { renderDialogue, type DialogueMessage, type RenderedDialogue, type RenderPrompt } from '../../core/dialogue.ts'
import type { Located } from '../../core/resolution.ts'
import { showLine } from '../../core/visible-text.ts'

const MAX_TRACE_CHARS = 24_000
const MAX_FRAMES_SHOWN = 40

function framesText({ exceptions, frames }: Pick<Located, 'exceptions' | 'frames'>): string {
  const errors = exceptions
    .slice(-MAX_FRAMES_SHOWN)
    .map(({ relation, type, message }) => `${relation}: ${type ?? 'error'}: ${message ?? ''}`)
  const places = frames
    .filter(frame => frame.path !== null)
    .slice(-MAX_FRAMES_SHOWN)
    .map(frame => `${frame.path}:${frame.codeLine ?? frame.line ?? '?'} in ${frame.function ?? '(no function)'}`)
  return [...errors, ...places].map(showLine).join('\n')
}

type Question = Pick<Located, 'context' | 'exceptions' | 'frames'>

/** The dialogue that asks a model about a located failure, as plain data. */
export function resolveDialogue(stackTrace: string, located: Question, locale: string): DialogueMessage[] {
  const plain = stackTrace.toWellFormed().replace(/\r\n?/g, '\n')
  const trace = shortened(plain, MAX_TRACE_CHARS).split('\n').map(showLine).join('\n')
  const context = located.context === '' ? 'No code of the project was found for it.' : located.context
  return [
    { role: 'system', content: { prompt: 'resolve-system', slots: { locale } } },
    {
      role: 'user',
      content: {
        prompt: 'resolve-user',
        slots: {
          stacktrace: { label: 'stack trace', text: trace },
          frames: { label: 'mapped frames', text: framesText(located) },
          context: { label: 'source code', text: context },
        },
      },
    },
  ]
}

/**
 * The messages of that dialogue. Trace and code are fenced with a tag that their authors could not know.
 */
export const resolveQuestion = (
  stackTrace: string,
  located: Question,
  { renderPrompt, locale }: { renderPrompt: RenderPrompt; locale: string },
): RenderedDialogue => renderDialogue(renderPrompt, resolveDialogue(stackTrace, located, locale))
