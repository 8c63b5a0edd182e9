import { fence, fenceTag } from '../core/fence.ts'
import type { Located } from '../core/resolution.ts'
import { showLine } from '../core/visible-text.ts'

/** A prompt of `prompts/` with its slots filled in. */
export type RenderPrompt = (name: string, slots: Readonly<Record<string, string>>) => string

export interface Message { role: 'system' | 'user', content: string }

const MAX_TRACE_CHARS = 24_000
const MAX_FRAMES_SHOWN = 40

/** What a model is asked about a located failure. Trace and code are fenced with a tag that their authors could not know. */
export function resolveMessages (stackTrace: string, located: Located, { renderPrompt, locale, random }: { renderPrompt: RenderPrompt, locale: string, random?: () => string }): Message[] {
  const trace = bothEnds(stackTrace).split('\n').map(showLine).join('\n')
  const frames = framesText(located)
  const context = located.context === '' ? 'No code of the project was found for it.' : located.context
  const tag = fenceTag([trace, frames, context], random)
  return [
    { role: 'system', content: renderPrompt('resolve-system', { tag, locale }) },
    {
      role: 'user',
      content: renderPrompt('resolve-user', {
        stacktrace: fence(trace, tag, 'stack trace'),
        frames: fence(frames, tag, 'mapped frames'),
        context: fence(context, tag, 'source code'),
      }),
    },
  ]
}

/** A long trace by its two ends: what was called, and what failed. */
function bothEnds (text: string): string {
  const plain = text.toWellFormed().replace(/\r\n?/g, '\n')
  if (plain.length <= MAX_TRACE_CHARS) return plain
  const half = MAX_TRACE_CHARS / 2
  return `${plain.slice(0, half)}\n[… ${plain.length - MAX_TRACE_CHARS} characters left out …]\n${plain.slice(-half)}`
}

function framesText ({ exceptions, frames }: Located): string {
  const errors = exceptions.slice(-MAX_FRAMES_SHOWN).map(({ relation, type, message }) => `${relation}: ${type ?? 'error'}: ${message ?? ''}`)
  const places = frames.filter(frame => frame.path !== null).slice(-MAX_FRAMES_SHOWN)
    .map(frame => `${frame.path}:${frame.codeLine ?? frame.line ?? '?'} in ${frame.function ?? '(no function)'}`)
  return [...errors, ...places].map(showLine).join('\n')
}
