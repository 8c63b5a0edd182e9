import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../src/cli.ts'
import { CHILD_ENV } from './child-env.ts'
import { INLINE_THREADS } from './inline-threads.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

interface CliRun {
  exitCode: number | null
  stdout: string
  stderr: string
}

interface CliOptions {
  input?: string
  cwd?: string
  env?: Record<string, string>
  /** Arguments of Node, before the program. */
  nodeArgs?: string[]
}

function collector(onText: (all: string) => void = () => {}): { stream: Writable; text: () => string } {
  let all = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      all += String(chunk)
      onText(all)
      done()
    },
  })
  return { stream, text: () => all }
}

/**
 * The `faultline` program with the user's folder at `home`. A command that keeps data in the checkout by default needs
 * `--data-dir`.
 */
export function createCli(home: string) {
  /** A process of its own. */
  function start(
    args: string[],
    { cwd = home, env = {}, nodeArgs = [] }: Omit<CliOptions, 'input'> = {},
  ): ChildProcess & { finished: Promise<CliRun> } {
    const child = spawn(process.execPath, [...nodeArgs, CLI, ...args], {
      cwd,
      env: { ...CHILD_ENV, HOME: home, XDG_DATA_HOME: join(home, 'xdg'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.on('error', () => {}) // the program need not read its input
    const finished = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
      ([stdout, stderr, [exitCode]]) => ({ exitCode: exitCode as number | null, stdout, stderr }),
    )
    return Object.assign(child, { finished })
  }

  return {
    start,
    async run(args: string[], { input = '', ...options }: CliOptions = {}): Promise<CliRun> {
      const child = start(args, options)
      child.stdin?.end(input)
      return child.finished
    },
    /** The same in this process and thread: spares the start, but has this process's environment. */
    async call(
      args: string[],
      { input = '', cwd = home, isTTY = false }: { input?: string; cwd?: string; isTTY?: boolean } = {},
    ): Promise<CliRun> {
      const [stdout, stderr] = [collector(), collector()]
      const exitCode = await runCommand(
        args,
        {
          stdin: Object.assign(Readable.from([input]), { isTTY }),
          stdout: Object.assign(stdout.stream, { isTTY }),
          stderr: stderr.stream,
        },
        { cwd, starter: INLINE_THREADS },
      )
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
    },
    /**
     * The same with a person at the terminal, who answers each question as it is asked. An answer of null ends the
     * input.
     */
    async converse(
      args: string[],
      dialogue: ReadonlyArray<readonly [question: RegExp, answer: string | null]>,
      { cwd = home }: { cwd?: string } = {},
    ): Promise<CliRun & { asked: number }> {
      const stdin = new PassThrough()
      const left = [...dialogue]
      let heard = 0
      const stdout = collector()
      const stderr = collector(said => {
        const [question, answer] = left[0] ?? []
        if (question?.test(said.slice(heard)) !== true) return
        left.shift()
        heard = said.length
        if (answer == null) stdin.end()
        else setImmediate(() => stdin.write(`${answer}\n`)) // once the question has been asked to its end
      })
      const exitCode = await runCommand(
        args,
        { stdin: Object.assign(stdin, { isTTY: true }), stdout: stdout.stream, stderr: stderr.stream },
        { cwd, starter: INLINE_THREADS },
      )
      return { exitCode, stdout: stdout.text(), stderr: stderr.text(), asked: dialogue.length - left.length }
    },
  }
}
