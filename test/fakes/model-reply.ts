/** One answer of the scripted server. The first property that is set decides what happens. */
export interface Reply {
  /** A normal answer; streamed word by word when the request asks for a stream. */
  text?: string
  finishReason?: string
  /** Null leaves the usage out, as some servers do. Default: counted in words. */
  usage?: { prompt_tokens: number; completion_tokens: number } | null
  /** What the model thinks before the text, as `reasoning_content`. */
  reasoning?: string
  /** What no model said: an HTTP error, or 200 with this body. It is JSON unless it is a string or bytes. */
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** Takes the request and never answers. */
  hang?: boolean
  /** Closes the socket before any byte of an answer. */
  refuse?: boolean
  /** With `text`: breaks the connection after that many tokens (a plain answer: in the middle of its JSON). */
  cutAfter?: number
  /**
   * With `text`: falls silent after that many tokens (a plain answer: in the middle of its JSON); the connection stays
   * open.
   */
  hangAfter?: number
  /** With `text`, streamed: the first token at once, the rest when the promise settles. */
  slowTokensUntil?: Promise<unknown>
  /** With `text`, streamed: milliseconds before each token. Only for tests of time limits. */
  pauseMs?: number
  /**
   * Goes on until the client leaves: with a long text, with thoughts, with events that hold nothing, or with comments
   * alone.
   */
  endless?: 'text' | 'thoughts' | 'nothing' | 'comments'
  /** With `text`, streamed: an error object after that many tokens (a plain answer: beside its choices). */
  errorAfter?: number
  /** With `text`: a call of a tool beside it, or instead of it when the text is empty. */
  toolCall?: boolean
  /** The calls that the model makes, beside its text; a stream sends the arguments in pieces. */
  toolCalls?: ScriptedCall[]
  /** With `toolCalls`: leaves out what several servers leave out, the number of a call in a stream and its id. */
  looseCalls?: boolean
  /** What a server without tools says to a request that offers some; one without is answered as usual. */
  refusesTools?: { status: number; message: string }
  /** A plain answer also to a request for a stream. */
  ignoresStream?: boolean
  /** What a server without it says to a request with a response_format; one without is answered as usual. */
  refusesFormat?: { status: number; message: string }
  /** With `text`, streamed: breaks the connection right after the finish_reason. */
  cutAfterFinish?: boolean
  /** With `text`, streamed: a clean end with a finish_reason but without `[DONE]`. */
  noDone?: boolean
  /** With `text`, streamed: a clean end with neither a finish_reason nor `[DONE]`. */
  noFinish?: boolean
  malformed?: 'json' | 'sse' | 'html'
  /** `200` with an error object instead of choices. True: a usual one. */
  errorIn200?: boolean | { message: string; code?: number | string }
  emptyChoices?: boolean
  /** For embeddings: these vectors as they stand, instead of the ones made from the texts. */
  vectors?: number[][]
  /** For embeddings: the right vectors in reverse order, each with its index. */
  reversed?: boolean
  /** For embeddings: the answer comes when the promise settles. */
  heldUntil?: Promise<unknown>
}

/** A call of a tool as a model makes it; arguments that are no object are sent as they stand. */
export interface ScriptedCall {
  name: string
  arguments: object | string
}

/** The calls of a reply in the words of the protocol. */
export const wireCalls = ({ toolCalls = [], looseCalls = false }: Reply) =>
  toolCalls.map(({ name, arguments: given }, i) => ({
    ...(looseCalls ? {} : { id: `call_${name}_${i}` }),
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }))

/** How a reply ends that does not say so. */
export function finishReasonOf({ finishReason, toolCalls }: Reply): string {
  const usual = toolCalls === undefined ? 'stop' : 'tool_calls'
  return finishReason ?? usual
}

/** A text in words, each with the blanks before it. */
export const tokensOf = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? []

export const PROVIDER_ERROR = { message: 'Provider returned error', code: 502 }
export const TOOL_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'read_file', arguments: '{"path": "a.py"}' },
}
