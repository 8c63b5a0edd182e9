import type { TranscriptEntryAnswer } from '../contract/transcript.ts'
import { asked, requestHeading } from './request-text.ts'
import type { Paint } from './paint.ts'
import { milliseconds } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

type EntryOf<Kind> = Extract<TranscriptEntryAnswer, { kind: Kind }>

function endOf({ exit_code: code, signal, timed_out: isLate }: EntryOf<'command'>): string {
  if (isLate) return 'took too long'
  return signal === null ? `exit code ${code}` : `killed (${signal})`
}

const commandTitle = (entry: EntryOf<'command'>): string =>
  `ran ${entry.argv.join(' ')}: ${endOf(entry)}, ${milliseconds(entry.duration_ms)}`

/** What an agent of a task did, and what that took as far as it is known. */
function taskTitle({ agent, action, tokens_used: tokens, duration_ms: durationMs }: EntryOf<'task'>): string {
  const spent = [
    tokens === null ? null : `${tokens} tokens`,
    durationMs === null ? null : milliseconds(durationMs),
  ].filter(part => part !== null)
  return spent.length === 0 ? `${agent}: ${action}` : `${agent}: ${action} (${spent.join(', ')})`
}

/** What a model asked for, a line each. */
const callLines = (calls: EntryOf<'reply'>['tool_calls'] = []): string =>
  calls.map(({ name, arguments: given }) => `\n-> ${name}(${given})`).join('')

/** What happened, on one line, and the words that belong to it. */
export function transcriptParts(entry: TranscriptEntryAnswer): { title: string; body: string } {
  switch (entry.kind) {
    case 'created':
      return {
        title: `${entry.type} made by ${entry.key_name ?? 'nobody with a key'}`,
        body: JSON.stringify(entry.body, null, 2),
      }
    case 'messages': {
      const body = entry.messages
        .map(({ role, content, tool_calls: calls }) => `[${role}]\n${content}${callLines(calls)}`)
        .join('\n')
      return { title: `asked ${entry.model}`, body }
    }
    case 'reply':
      return { title: `${entry.model} replied`, body: `${entry.text}${callLines(entry.tool_calls)}` }
    case 'model_error':
      return { title: `${entry.model} failed: ${entry.code}`, body: entry.message }
    case 'question':
      return { title: 'asked a person', body: requestHeading(asked(entry)) }
    case 'answer':
      return { title: `${entry.key_name ?? 'a person'} replied`, body: JSON.stringify(entry.reply) }
    case 'command':
      return { title: commandTitle(entry), body: [entry.stdout, entry.stderr].filter(text => text !== '').join('\n') }
    case 'task':
      return {
        title: taskTitle(entry),
        body: [entry.input_summary, entry.output_summary].filter(text => text !== null).join('\n'),
      }
    case 'tool':
      return { title: `looked up ${entry.name}(${entry.arguments})`, body: entry.result }
  }
}

/** Word for word what models and people were asked and said and what was run, the earliest first. */
export function transcriptText(entries: readonly TranscriptEntryAnswer[], paint: Paint): string {
  const shown = entries.map(entry => {
    const { title, body } = transcriptParts(entry)
    const head = paint('bold', printableLine(title))
    const moment = paint('dim', [entry.at, entry.step ?? ''].join('  ').trimEnd())
    return body.trim() === '' ? `${moment}  ${head}` : `${moment}  ${head}\n${printable(body.trimEnd())}`
  })
  return shown.join('\n\n')
}
