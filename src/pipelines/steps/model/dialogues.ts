import type { DialogueMessage } from '../../../core/dialogue.ts'
import { showFiles } from '../../../edits/write/show-files.ts'

type Content = DialogueMessage['content']
/** A part of a message: words, a prompt, or data. */
export type Part = Exclude<Content, readonly unknown[]>

/** Asks for a program as whole files. */
const GENERATE: Part = { prompt: 'generate', slots: { file_format: { prompt: 'file_format' } } }

/** Roadmap, instructions, philosophy: gpt-engineer's system prompt, in its order. */
const coder = (instructions: Part): DialogueMessage => ({
  role: 'system',
  content: [{ prompt: 'roadmap' }, '\n', instructions, '\nUseful to know:\n', { prompt: 'philosophy' }],
})

/** The instructions for a program as whole files. */
export const GENERATE_SYSTEM = coder(GENERATE)
/** The same as short as it can be, for small models. */
export const LITE_SYSTEM: DialogueMessage = { role: 'system', content: { prompt: 'file_format' } }
/** The instructions to ask what is unclear. */
export const CLARIFY_SYSTEM: DialogueMessage = { role: 'system', content: { prompt: 'clarify' } }
/** The instructions for changes as diffs. */
export const IMPROVE_SYSTEM = coder({ prompt: 'improve', slots: { file_format: { prompt: 'file_format_diff' } } })
/** Ends a dialogue of questions. */
export const GENERATE_TURN: DialogueMessage = { role: 'user', content: GENERATE }

/** A message of the person, or of the job on their behalf. */
export const says = (content: Content): DialogueMessage => ({ role: 'user', content })
/** A message of the model. */
export const replied = (content: string): DialogueMessage => ({ role: 'assistant', content })

const asData = (files: ReadonlyMap<string, string>) => ({ label: 'files', text: showFiles(files) })

/** The message that shows files. */
export const filesTurn = (files: ReadonlyMap<string, string>): DialogueMessage => says(asData(files))

/** What a person asks for, with the files that there are. */
export const requestTurn = (request: string, files: ReadonlyMap<string, string>): DialogueMessage =>
  says(files.size === 0 ? request : [request, '\n\nThe files that there are already:\n\n', asData(files)])

/** Asks for the script that runs the files. */
export const entrypointDialogue = (files: ReadonlyMap<string, string>): DialogueMessage[] => [
  { role: 'system', content: { prompt: 'entrypoint' } },
  says({ prompt: 'entrypoint-user', slots: { files: asData(files) } }),
]

/** Asks for other changes than those that a person rejected. */
export const commentTurn = (comment: string): DialogueMessage =>
  says({ prompt: 'improve-comment', slots: { comment: { label: 'comment', text: comment } } })

/** Asks for the change that mends a failure. */
export const fixRequest = (stackTrace: string, context: string): Content => ({
  prompt: 'fix',
  slots: { stacktrace: { label: 'stack trace', text: stackTrace }, context: { label: 'source code', text: context } },
})

/** What a model that writes a test is told. */
interface TestRequest {
  stackTrace: string
  context: string
  /** Type and place of the error that the test has to end with. */
  fault: string
  /** What runs the tests of the project. */
  command: string
  /** Files of tests that there are. */
  tests: readonly string[]
}

/** Asks for a test that shows a failure, before anything is fixed. */
export const reproduceRequest = ({ stackTrace, context, fault, command, tests }: TestRequest): Content => ({
  prompt: 'reproduce',
  slots: {
    stacktrace: { label: 'stack trace', text: stackTrace },
    context: { label: 'source code', text: context },
    fault: { label: 'error', text: fault },
    command: { label: 'command', text: command },
    tests: { label: 'names', text: tests.length === 0 ? 'none yet' : tests.join('\n') },
  },
})

/** Asks for another test than one that does not show the failure. */
export const reproduceAgainTurn = (problem: string, output: string): DialogueMessage =>
  says({
    prompt: 'reproduce-again',
    slots: { problem: { label: 'problem', text: problem }, output: { label: 'output', text: output } },
  })

/** The same as `fixRequest` where a test shows the failure. */
export const withTest = (request: Content, paths: readonly string[]): Content => [
  ...[request].flat(),
  '\n\n',
  { prompt: 'fix-test', slots: { paths: { label: 'names', text: paths.join('\n') } } },
]
