import type { Static, TSchema } from 'typebox'
import { CODE_TOOLS, type CodeToolName } from '../../../contract/code-tools.ts'
import { fromWire } from '../../../contract/wire.ts'
import type { CodeAnswers, CodeInputs, PinnedCommit } from '../../../core/code-tools.ts'
import type { ToolDefinition } from '../../../llm/tools/tool-calls.ts'

type Ask<Tool extends CodeToolName> = (input: CodeInputs[Tool], signal: AbortSignal) => Promise<CodeAnswers[Tool]>

/** A project at commits that stay the same: what the model may ask. Errors are those of `services/code-tools.ts`. */
export interface CodeToAsk {
  commits: readonly PinnedCommit[]
  searchCode: Ask<'search_code'>
  readCode: Ask<'read_code'>
  findDefinition: Ask<'find_definition'>
  findReferences: Ask<'find_references'>
  explainLineHistory: Ask<'explain_line_history'>
}

/** A question to a tool whose arguments fit its schema. */
export type CodeQuestion = { [Tool in CodeToolName]: { tool: Tool; input: CodeInputs[Tool] } }[CodeToolName]

const DESCRIPTIONS: Record<CodeToolName, string> = {
  search_code:
    'Searches the code of the project by words, names, messages or paths, and shows the lines that fit best.',
  read_code: 'Reads lines of a file of the project, with their numbers.',
  find_definition: 'Finds where a function, class, method, type or constant is defined, and shows its first lines.',
  find_references: 'Finds the lines that use a name: its callers, imports and mentions.',
  explain_line_history: 'Tells which commits changed lines of a file, with what they changed.',
}

/** The tools as a model is offered them. */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = (Object.keys(CODE_TOOLS) as CodeToolName[]).map(name => ({
  name,
  description: DESCRIPTIONS[name],
  parameters: CODE_TOOLS[name].args,
}))

/** Longer arguments are no question. */
const MAX_ARGUMENT_CHARS = 8_000
const MAX_PROBLEMS = 3

const isTool = (name: string): name is CodeToolName => Object.hasOwn(CODE_TOOLS, name)

/** The names of all tools, for a model that named another one. */
const TOOL_NAMES = TOOL_DEFINITIONS.map(({ name }) => name).join(', ')

function objectIn(text: string): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  // models that must name every field say null for what they leave out
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

async function fitting<Schema extends TSchema>(
  schema: Schema,
  value: Record<string, unknown>,
): Promise<{ value: Static<Schema> } | { problems: string[] }> {
  const { Value } = await import('typebox/value')
  const converted = Value.Convert(schema, value) // "12" for 12
  if (Value.Check(schema, converted)) return { value: converted as Static<Schema> }
  const problems = Value.Errors(schema, converted).map(({ instancePath, message, params }) => {
    const names = 'additionalProperties' in params ? ` (${String(params.additionalProperties)})` : ''
    return `${instancePath === '' ? 'the arguments' : instancePath.slice(1)} ${message}${names}`
  })
  return { problems: [...new Set(problems)].slice(0, MAX_PROBLEMS) }
}

/**
 * Checks what a model asks for against the schema of the tool.
 *
 * @returns The question and what names it, whatever the order of its fields; or why it is none, in words for the model.
 */
export async function readCall(
  name: string,
  given: string,
): Promise<{ question: CodeQuestion; key: string } | { refusal: string }> {
  if (!isTool(name)) return { refusal: `There is no tool of that name. The tools are: ${TOOL_NAMES}.` }
  if (given.length > MAX_ARGUMENT_CHARS) {
    return { refusal: `The arguments have more than ${MAX_ARGUMENT_CHARS} characters.` }
  }
  const value = objectIn(given)
  if (value === null) return { refusal: 'The arguments are no JSON object.' }
  const schema = CODE_TOOLS[name].args
  const read = await fitting<TSchema>(schema, value)
  if ('problems' in read) return { refusal: `The arguments do not fit: ${read.problems.join('; ')}.` }
  const fields = Object.entries(read.value as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    question: { tool: name, input: fromWire<TSchema>(schema, read.value) } as CodeQuestion,
    key: `${name} ${JSON.stringify(fields)}`,
  }
}
