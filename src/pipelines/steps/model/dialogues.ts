import type { DialogueMessage } from '../../../core/dialogue.ts'
import { showFiles } from '../../../edits/write/show-files.ts'

type Content = DialogueMessage['content']
type Part = Exclude<Content, readonly unknown[]>

/** Asks for a program as whole files. */
const GENERATE: Part = { prompt: 'generate', slots: { file_format: { prompt: 'file_format' } } }

/** Roadmap, instructions, philosophy: gpt-engineer's system prompt, in its order. */
const coder = (instructions: Part): DialogueMessage => ({
  role: 'system',
  content: [{ prompt: 'roadmap' }, '\n', instructions, '\nUseful to know:\n', { prompt: 'philosophy' }],
})

export const GENERATE_SYSTEM = coder(GENERATE)
export const LITE_SYSTEM: DialogueMessage = { role: 'system', content: { prompt: 'file_format' } }
export const CLARIFY_SYSTEM: DialogueMessage = { role: 'system', content: { prompt: 'clarify' } }
export const IMPROVE_SYSTEM = coder({ prompt: 'improve', slots: { file_format: { prompt: 'file_format_diff' } } })
/** Ends a dialogue of questions. */
export const GENERATE_TURN: DialogueMessage = { role: 'user', content: GENERATE }

export const says = (content: Content): DialogueMessage => ({ role: 'user', content })
export const replied = (content: string): DialogueMessage => ({ role: 'assistant', content })

const asData = (files: ReadonlyMap<string, string>) => ({ label: 'files', text: showFiles(files) })

export const filesTurn = (files: ReadonlyMap<string, string>): DialogueMessage => says(asData(files))

/** What a person asks for, with the files that there are. */
export const requestTurn = (request: string, files: ReadonlyMap<string, string>): DialogueMessage =>
  says(files.size === 0 ? request : [request, '\n\nThe files that there are already:\n\n', asData(files)])

/** Asks for the script that runs the files. */
export const entrypointDialogue = (files: ReadonlyMap<string, string>): DialogueMessage[] => [
  { role: 'system', content: { prompt: 'entrypoint' } },
  says({ prompt: 'entrypoint-user', slots: { files: asData(files) } }),
]

/** Asks for the change that mends a failure. */
export const fixRequest = (stackTrace: string, context: string): Content => ({
  prompt: 'fix',
  slots: { stacktrace: { label: 'stack trace', text: stackTrace }, context: { label: 'source code', text: context } },
})
