import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { askLine, canAsk } from './ask.ts'
import { CliError, usageError } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'
import type { Session } from './session.ts'

const MAX_BYTES = 10_485_760 // what POST /resolve takes

/** The text of a command, and whether its beginning was dropped. */
interface InputText {
  text: string
  cut: boolean
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

/** Decodes UTF-8, or UTF-16 with a byte order mark as PowerShell writes into files. */
const decode = (bytes: Buffer): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes)

/**
 * The text of a stream. Of a text longer than the contract allows the end is kept, where a log says how it ended.
 *
 * @throws The signal's reason after an abort.
 */
export async function readText(stream: AsyncIterable<Buffer | string>, signal?: AbortSignal): Promise<InputText> {
  let chunks: Buffer[] = []
  let size = 0
  let cut = false
  const left = signal === undefined ? null : aborted(signal)
  const iterator = stream[Symbol.asyncIterator]()
  for (;;) {
    const next = await (left === null ? iterator.next() : Promise.race([iterator.next(), left]))
    if (next.done === true) break
    const bytes = typeof next.value === 'string' ? Buffer.from(next.value) : next.value
    chunks.push(bytes)
    size += bytes.length
    if (size <= 2 * MAX_BYTES) continue
    chunks = [Buffer.concat(chunks).subarray(-MAX_BYTES)]
    size = MAX_BYTES
    cut = true
  }
  const all = Buffer.concat(chunks)
  return { text: decode(all.subarray(-MAX_BYTES)), cut: cut || all.length > MAX_BYTES }
}

/**
 * Reads a file as text.
 *
 * @throws {CliError} USAGE when the file cannot be read.
 */
async function readTextFile(path: string, fix: string, signal?: AbortSignal): Promise<InputText> {
  try {
    if ((await stat(path)).isDirectory()) throw usageError(`${JSON.stringify(path)} is a folder.`, fix)
    return await readText(createReadStream(path) as AsyncIterable<Buffer>, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw usageError(`There is no file ${JSON.stringify(path)}.`, fix)
    if (code === 'EACCES') throw usageError(`The file ${JSON.stringify(path)} must not be read.`)
    throw error
  }
}

const NAME_A_TRACE = 'Name a file that holds the stack trace, or - for standard input.'

/**
 * The text, unless it is blank.
 *
 * @throws {CliError} NO_STACK_TRACE
 */
export function needText({ text }: InputText, from: string): string {
  if (text.trim() !== '') return text
  throw new CliError('NO_STACK_TRACE', `Nothing came in from ${from}.`, {
    fix: 'Pipe the output of the failing command in: npm test 2>&1 | faultline resolve -',
    exitCode: EXIT.failed,
  })
}

/** The text that a command works on: a file, or standard input for `-` or none. */
export async function stackTraceFrom(
  { terminal, output, signal, cwd }: Session,
  file: string | undefined,
): Promise<string> {
  const fromStdin = file === undefined || file === '-'
  if (fromStdin && terminal.stdin.isTTY === true) {
    output.note('Paste the stack trace, then press Ctrl-D on a line of its own.')
  }
  const input = fromStdin
    ? await readText(terminal.stdin as AsyncIterable<Buffer>, signal)
    : await readTextFile(resolve(cwd, file), NAME_A_TRACE, signal)
  if (input.cut) output.note('The text is longer than 10 MiB; only its end is used.')
  return needText(input, fromStdin ? 'standard input' : JSON.stringify(file))
}

const MAX_PROMPT_CHARS = 200_000 // what the pipelines take

interface PromptOptions {
  /** The argument from the command line; `-` is standard input. */
  given: string | undefined
  file: string | undefined
  /** What to ask on a terminal. */
  question: string
  /** A call that has a prompt, for the error. */
  example: string
}

async function promptText(
  session: Session,
  given: string | undefined,
  file: string | undefined,
  question: string,
): Promise<string> {
  const { terminal, signal, cwd } = session
  if (file !== undefined && file !== '-') {
    return (
      await readTextFile(resolve(cwd, file), 'Name a file that holds the prompt, or - for standard input.', signal)
    ).text
  }
  if (file === undefined && given !== undefined && given !== '-') return given
  if (canAsk(session) && file === undefined && given === undefined) {
    return (await askLine(session, `${question} `)) ?? ''
  }
  return (await readText(terminal.stdin as AsyncIterable<Buffer>, signal)).text
}

/**
 * The user's prompt: from the command line, a file, standard input, or the terminal.
 *
 * @throws {CliError} USAGE when there is none.
 */
export async function promptFrom(session: Session, { given, file, question, example }: PromptOptions): Promise<string> {
  if (given !== undefined && file !== undefined) {
    throw usageError('The prompt stands on the command line and in --prompt-file.', 'Give one of them.')
  }
  const prompt = await promptText(session, given, file, question)
  if (prompt.trim() === '') throw usageError('There is no prompt: say in words what is wanted.', example)
  if (prompt.length > MAX_PROMPT_CHARS) {
    throw usageError(`The prompt has ${prompt.length} characters; at most ${MAX_PROMPT_CHARS} are taken.`)
  }
  return prompt.trim()
}
