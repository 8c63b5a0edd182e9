import { on } from 'node:events'
import { jsonObjectIn } from '../core/json-object.ts'

/** What `POST /mcp` answered. */
export interface McpReply {
  status: number
  contentType: string
  body: string
}

/** Sends one message to `POST /mcp`. Rejects when the server cannot be asked. */
export type PostMessage = (
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<McpReply>

/** Where messages come from and go to. */
interface BridgeOptions {
  input: NodeJS.ReadableStream
  write: (line: string) => void
  post: PostMessage
  /** Ends the bridge, and what is under way. */
  signal: AbortSignal
}

interface Message {
  id?: string | number | null
  method?: string
  params?: { _meta?: Record<string, unknown>; requestId?: unknown; [field: string]: unknown }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
/** The field of the parameters that the header `Mcp-Name` repeats, by method. */
const NAME_FIELDS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}
const ACCEPTED = 202
const PARSE_ERROR = -32700
const SERVER_ERROR = -32000

const isPlain = (text: string): boolean => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)

/** Header values are ASCII; any other text goes as the protocol has it. */
const headerText = (text: string): string =>
  isPlain(text) && !text.startsWith('=?') ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** What the protocol repeats of a message in the headers of its request, as routers on the way read those. */
function headersOf({ method, params }: Message): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const version = params?._meta?.[VERSION_KEY]
  if (typeof version !== 'string' || typeof method !== 'string') return headers
  headers['mcp-protocol-version'] = version
  headers['mcp-method'] = headerText(method)
  const name = params?.[NAME_FIELDS[method] ?? '']
  if (typeof name === 'string') headers['mcp-name'] = headerText(name)
  return headers
}

const errorLine = (id: Message['id'], code: number, message: string, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data === undefined ? {} : { data }) } })

/** The bodies in an answer: one, or that of each event. */
function bodiesOf({ contentType, body }: McpReply): string[] {
  if (!contentType.startsWith('text/event-stream')) return [body]
  const texts = body.split(/\r?\n\r?\n/).map(event =>
    event
      .split(/\r?\n/)
      .filter(line => line.startsWith('data:'))
      .map(line => line.slice('data:'.length).trim())
      .join('\n'),
  )
  return texts.filter(text => text.trim() !== '')
}

const isOfProtocol = ({ contentType }: McpReply): boolean =>
  /^(?:application\/json|text\/event-stream)\b/.test(contentType)

/** The messages of an answer; none where it is not of the protocol, as other servers answer in JSON, too. */
function messagesOf(reply: McpReply): Message[] {
  const values = isOfProtocol(reply) ? bodiesOf(reply).map(jsonObjectIn) : []
  return values.every(value => value?.jsonrpc === '2.0') ? (values as Message[]) : []
}

interface Problem {
  code: string
  detail: string
  fix?: string
}

function problemIn({ contentType, body }: McpReply): Problem | null {
  if (!contentType.startsWith('application/problem+json')) return null
  const value = jsonObjectIn(body)
  const isOurs = typeof value?.code === 'string' && typeof value.detail === 'string'
  return isOurs ? (value as unknown as Problem) : null
}

/** An answer that is none of the protocol, such as that a key is missing, as an error of the protocol. */
function problemLine(id: Message['id'], reply: McpReply): string {
  const problem = problemIn(reply)
  if (problem === null) {
    const text = `The server answered ${reply.status}, which is no answer of Faultline. Check --server.`
    return errorLine(id, SERVER_ERROR, text)
  }
  const { code, detail, fix } = problem
  return errorLine(id, SERVER_ERROR, `${code}: ${detail}${fix === undefined ? '' : ` ${fix}`}`, { code, detail, fix })
}

async function answerTo(message: Message, line: string, post: PostMessage, signal: AbortSignal): Promise<string[]> {
  const { id } = message
  try {
    const reply = await post(line, headersOf(message), signal)
    if (id === undefined || reply.status === ACCEPTED) return [] // a notification, or an answer of the client
    const messages = messagesOf(reply)
    if (messages.length === 0) return [problemLine(id, reply)]
    // an error that does not say whose it is would leave the request without an answer
    return messages.map(one => JSON.stringify(one.id === null ? { ...one, id } : one))
  } catch (error) {
    if (id === undefined || signal.aborted) return []
    return [errorLine(id, SERVER_ERROR, error instanceof Error ? error.message : String(error))]
  }
}

/**
 * The lines of a stream, until it ends or the signal fires. Those of `node:readline` end at U+2028 and U+2029 as well,
 * which JSON has within its strings.
 */
async function* linesIn(input: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<string> {
  input.setEncoding('utf8')
  let line = ''
  try {
    const chunks = on(input, 'data', { close: ['end', 'close'], signal }) as AsyncIterable<[chunk: string]>
    for await (const [chunk] of chunks) {
      const [first = '', ...others] = chunk.split('\n')
      line += first
      for (const next of others) {
        yield line
        line = next
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return
  } finally {
    input.pause() // an input that is read keeps the process
  }
  yield line
}

/**
 * Passes messages of a client on its standard streams to `POST /mcp`, each as it comes, and answers back in the order
 * in which they are there. What the client cancels is given up. Resolves when the input has ended and everything is
 * answered, or the signal has fired.
 */
export async function bridgeMcp({ input, write, post, signal }: BridgeOptions): Promise<void> {
  const underWay = new Map<Message['id'], AbortController>()
  const running = new Set<Promise<void>>()

  function pass(line: string): void {
    const message = jsonObjectIn(line) as Message | null
    if (message === null) {
      write(errorLine(undefined, PARSE_ERROR, 'The line is no JSON-RPC message.'))
      return
    }
    if (message.method === 'notifications/cancelled') underWay.get(message.params?.requestId as Message['id'])?.abort()
    const controller = new AbortController()
    if (message.id !== undefined) underWay.set(message.id, controller)
    const work = answerTo(message, line, post, AbortSignal.any([signal, controller.signal])).then(answers => {
      if (underWay.get(message.id) === controller) underWay.delete(message.id)
      for (const answer of answers) write(answer)
    })
    running.add(work)
    work.finally(() => running.delete(work)).catch(() => {})
  }

  for await (const line of linesIn(input, signal)) if (line.trim() !== '') pass(line)
  await Promise.all(running)
}
