import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { fenced } from './answer.ts'
import type { Caller } from './caller.ts'

const project = { type: 'string', description: 'Name of the project, as list_projects has it' }
const stacktrace = { type: 'string', description: 'The stack trace, or the log around the error' }

const TraceArgs = fromJsonSchema<{ project_name: string; stacktrace: string }>({
  type: 'object',
  properties: { project_name: project, stacktrace },
  required: ['project_name', 'stacktrace'],
})
const FixArgs = fromJsonSchema<{ project_name: string; stacktrace: string; command?: string }>({
  type: 'object',
  properties: {
    project_name: project,
    stacktrace,
    command: { type: 'string', description: 'What shows whether it is fixed, such as the command of the failing test' },
  },
  required: ['project_name', 'stacktrace'],
})

const asUser = (lines: readonly string[]) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: lines.join('\n') } }],
})

/** Adds prompts, which a person chooses in a client; for a key that may only read none that changes anything. */
export function addPrompts(server: McpServer, { mayWrite }: Pick<Caller, 'mayWrite'>): void {
  server.registerPrompt(
    'explain-trace',
    {
      title: 'Explain a stack trace',
      description: 'Finds the code behind a stack trace and explains what went wrong, with places.',
      argsSchema: TraceArgs,
    },
    ({ project_name: name, stacktrace: trace }) =>
      asUser([
        'Explain what went wrong in the stack trace below.',
        'Call resolve_stack_trace with the project and the trace. Where the cause lies further away, follow it with',
        'find_definition, find_references and read_code, and ask explain_line_history who changed the lines.',
        'Name the file and the line of the cause and of each step that leads there. Say what you could not see.',
        '',
        fenced(`project_name: ${name}\n\n${trace}`, 'stack trace'),
      ]),
  )
  if (!mayWrite) return
  server.registerPrompt(
    'fix-error',
    {
      title: 'Fix an error',
      description: 'From a stack trace to a checked change on a branch, with an approval by a person.',
      argsSchema: FixArgs,
    },
    ({ project_name: name, stacktrace: trace, command }) =>
      asUser([
        'Have the error below fixed.',
        'Call fix_error with the project and the trace, and with verify.command where a command is given. Then call',
        'get_job with "wait": 60 until the job is waiting or has ended. When it waits with review_changes, show the',
        'diff, what the runs say and every guard to the user, and ask whether to approve; pass on the decision with',
        'reply_to_job. Approve nothing on your own.',
        '',
        fenced(`project_name: ${name}${command === undefined ? '' : `\ncommand: ${command}`}\n\n${trace}`, 'error'),
      ]),
  )
}
