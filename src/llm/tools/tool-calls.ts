import type { OpenAI } from 'openai'
import type { TSchema } from 'typebox'
import { hasFields, type Fields } from '../client/reply-parts.ts'

/** A function that a model may ask for. */
export interface ToolDefinition {
  /** Letters, digits, `_` and `-`, 64 at most. */
  name: string
  /** What it does and when to ask for it, in words for the model. */
  description: string
  /** The schema of an object. */
  parameters: TSchema
}

/** What a model asks for. Nothing of it has been checked. */
export interface ToolCall {
  /** Names the call within the dialogue; of the server, or ours where it gave none. */
  id: string
  name: string
  /** Should be a JSON object. */
  arguments: string
}

/** More calls in one reply are no work but a fault of the model; the rest is dropped. */
const MAX_CALLS = 64
const MAX_NAME_CHARS = 200

/** The fields of a request that offer tools. */
interface ToolFields {
  tools?: OpenAI.ChatCompletionTool[]
  tool_choice?: 'none'
}

/**
 * The tools in the words of the protocol. They are named also where none may be called any more: servers refuse
 * dialogues that hold calls of tools which the request does not have.
 */
export function toolFields(tools: readonly ToolDefinition[] | undefined, mayCall: boolean): ToolFields {
  if (tools === undefined || tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      // without what TypeBox keeps beside the schema
      function: { name, description, parameters: JSON.parse(JSON.stringify(parameters)) as Record<string, unknown> },
    })),
    ...(mayCall ? {} : { tool_choice: 'none' as const }),
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Arguments are text in the protocol; some servers send the object itself. */
function argumentsIn(value: unknown): string {
  return hasFields(value) ? JSON.stringify(value) : textIn(value)
}

/** A call as far as it has come. */
interface Collected extends ToolCall {
  /** The number that the server gives it. */
  index: unknown
}

/** Puts the calls of a reply together, whether they come whole or in pieces. */
export class ToolCalls {
  readonly #calls: Collected[] = []

  /** Takes the `tool_calls` of a whole message; what is no call is passed over. */
  addWhole(value: unknown): void {
    if (!Array.isArray(value)) return
    for (const piece of value.filter(hasFields)) this.#addPiece(piece, this.#begun(null, textIn(piece.id)))
  }

  /** Takes the `tool_calls` of a piece of a message. */
  addPieces(value: unknown): void {
    if (!Array.isArray(value)) return
    for (const piece of value.filter(hasFields)) this.#addPiece(piece, this.#callOf(piece.index, textIn(piece.id)))
  }

  #addPiece(piece: Fields, call: Collected | undefined): void {
    const said = hasFields(piece.function) ? piece.function : {}
    if (call === undefined) return
    call.name = `${call.name}${textIn(said.name)}`.slice(0, MAX_NAME_CHARS)
    call.arguments += argumentsIn(said.arguments)
  }

  /** The call that a piece goes on with. Some servers number no calls: then an id begins a new one. */
  #callOf(index: unknown, id: string): Collected | undefined {
    const isNumbered = typeof index === 'number'
    const last = this.#calls.at(-1)
    const known = isNumbered ? this.#calls.find(call => call.index === index) : last
    const isNew = known === undefined || (!isNumbered && id !== '' && id !== known.id)
    return isNew ? this.#begun(index, id) : known
  }

  #begun(index: unknown, id: string): Collected | undefined {
    if (this.#calls.length >= MAX_CALLS) return undefined
    const call = { index, id: id.slice(0, MAX_NAME_CHARS), name: '', arguments: '' }
    this.#calls.push(call)
    return call
  }

  /** The calls in their order, each with an id of its own. */
  get all(): ToolCall[] {
    const taken = new Set<string>()
    return this.#calls
      .filter(({ name }) => name !== '')
      .map(({ id, name, arguments: given }, i) => {
        const own = id === '' || taken.has(id) ? `call_${i + 1}` : id
        taken.add(own)
        return { id: own, name, arguments: given }
      })
  }
}
