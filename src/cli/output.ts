import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { plain, type Paint } from '../text/paint.ts'
import type { Failure } from './cli-error.ts'
import { printableLine } from '../text/terminal-text.ts'

/** A stream of a terminal, a pipe or a file. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number }

/** The three standard streams. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: OutputStream
  stderr: OutputStream
}

const paintFor = (stream: OutputStream): Paint =>
  stream.isTTY === true
    ? (format, text) => styleText(format, text, { stream }) // heeds NO_COLOR and what the terminal can show
    : plain

/** How results are printed. */
interface OutputOptions {
  json: boolean
  quiet: boolean
}

/** Where a command writes. */
export type Output = ReturnType<typeof createOutput>

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

const SILENT: ProgressLine = { isChanging: false, show() {}, print() {}, end() {} }

const PLAIN_INTERVAL_MS = 2000
const FRAMES = '|/-\\'
const FRAME_INTERVAL_MS = 120

/** How a progress line is shown. */
interface ProgressOptions {
  now?: () => number
  /** Whether something turns before the line on a terminal while nothing else happens. */
  spins?: boolean
}

/**
 * A progress line on a stream. The spinner is our own: those of packages take Ctrl-C for themselves, which has to
 * cancel the job, and know nothing of a line that has not ended.
 */
export function createProgress(
  stream: OutputStream,
  { now = () => performance.now(), spins = false }: ProgressOptions = {},
): ProgressLine {
  let shown = ''
  let lastAt = -Infinity
  let isMidLine = false
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  const changing = stream.isTTY === true
  function draw(): void {
    const line = spins ? `${FRAMES[frame % FRAMES.length]} ${shown}` : shown
    stream.write(`\r\u001B[2K${line.slice(0, Math.max(20, (stream.columns || 80) - 1))}`)
  }
  function spin(): void {
    if (shown === '') return
    frame++
    draw()
  }
  function clear(): void {
    if (changing && shown !== '') stream.write('\r\u001B[2K')
    shown = ''
  }
  return {
    isChanging: changing,
    show(text) {
      const line = printableLine(text)
      if (line === shown || isMidLine) return
      if (!changing && now() - lastAt < PLAIN_INTERVAL_MS) return
      shown = line
      lastAt = now()
      if (changing) draw()
      else stream.write(`${line}\n`)
      if (changing && spins) timer ??= setInterval(spin, FRAME_INTERVAL_MS).unref()
    },
    print(text) {
      if (text === '') return
      if (changing) clear()
      stream.write(text)
      isMidLine = !text.endsWith('\n')
    },
    end() {
      clearInterval(timer)
      timer = undefined
      clear()
      if (isMidLine) stream.write('\n')
      isMidLine = false
    },
  }
}

/**
 * Where a command writes: its result to stdout, everything else to stderr. With `--json` stdout gets one document and
 * stderr only errors.
 */
export function createOutput({ stdout, stderr }: Terminal, { json, quiet }: OutputOptions) {
  const silent = json || quiet
  return {
    isJson: json,
    /** Whether stdout is a person's terminal, so that tokens may be shown as they arrive. */
    isLive: stdout.isTTY === true && !json,
    paint: paintFor(stdout),
    paintNote: paintFor(stderr),

    /** Prints the result: `value` with `--json`, else the text for a person. */
    result(value: unknown, text: () => string): void {
      stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : withLineEnd(text()))
    },
    /** Prints part of a result for a person; must not be called with `--json`. */
    write(text: string): void {
      stdout.write(text)
    },
    /** Prints a sentence beside the result. */
    note(text: string): void {
      if (!silent) stderr.write(`${text}\n`)
    },
    warn(text: string): void {
      stderr.write(`faultline: ${printableLine(text)}\n`)
    },

    failure(failure: Failure, error: unknown, { trace = false } = {}): void {
      if (json) {
        const { message: detail, code, fix } = failure
        const problem = { type: 'about:blank', title: 'Error', detail, code, fix }
        stdout.write(`${JSON.stringify(problem, null, 2)}\n`)
      }
      stderr.write(`faultline: ${printableLine(failure.message)}\n`)
      if (failure.fix !== undefined) stderr.write(`fix: ${printableLine(failure.fix)}\n`)
      if (trace && error instanceof Error) stderr.write(`${error.stack ?? error.message}\n`)
    },

    /**
     * Shows a job's progress: one changing line on a terminal, a line now and then elsewhere, nothing with `--quiet`,
     * and with `--json` only on request.
     */
    progress: ({ withJson = false } = {}): ProgressLine =>
      quiet || (json && !withJson) ? SILENT : createProgress(stderr, { spins: true }),
  }
}

/** A line that shows how far a job is. */
interface ProgressLine {
  /** Whether the line is shown in one place, as on a terminal, and not one line after the other. */
  isChanging: boolean
  show(text: string): void
  /**
   * Prints text that stays, such as the output of a program: a line may come in pieces. It must be fit for a terminal.
   */
  print(text: string): void
  /** Removes the changing line. */
  end(): void
}
