import type { Static, TSchema } from 'typebox'
import { textOf, type Said } from './answer.ts'
import type { Caller } from './caller.ts'

/** What a client may expect of a tool without having called it. */
export interface Hints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** What a tool answers: the same as data and as text. */
export interface ToolAnswer<Data> {
  data: Data
  said: Said
}

/** A tool, as it is registered. */
export interface Tool {
  name: string
  title: string
  description: string
  input: TSchema
  output: TSchema
  hints: Hints
  /** Whether a key that may only read can call it. */
  needs: 'read' | 'write'
  /** Whether it starts a job, which clients that have tasks get as one. */
  startsJob: boolean
  run: (args: unknown, caller: Caller) => Promise<{ data: Record<string, unknown>; text: string }>
}

interface ToolDefinition<Input extends TSchema, Output extends TSchema>
  extends Pick<Tool, 'name' | 'title' | 'description' | 'hints'>, Partial<Pick<Tool, 'needs' | 'startsJob'>> {
  input: Input
  output: Output
  /** @throws {RouteProblem} */
  run: (args: Static<Input>, caller: Caller) => Promise<ToolAnswer<Static<Output>>>
}

/** Makes a tool of schemas and of what it does. Arguments and answers are checked against them elsewhere. */
export function defineTool<Input extends TSchema, Output extends TSchema>({
  run,
  needs = 'read',
  startsJob = false,
  ...rest
}: ToolDefinition<Input, Output>): Tool {
  return {
    ...rest,
    needs,
    startsJob,
    async run(args, caller) {
      const { data, said } = await run(args as Static<Input>, caller)
      return { data: data as Record<string, unknown>, text: textOf(said) }
    },
  }
}
