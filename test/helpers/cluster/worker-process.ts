import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** What a worker process gets. */
export interface WorkerSettings {
  url: string
  name: string
  /** A folder of the test. */
  root: string
  /** The file that it writes its notes to. */
  notes: string
  concurrency: number
}

/** What a worker notes, by its own clock, which is that of all processes of this machine. */
export interface WorkerNote {
  at: number
  worker: string
  kind: 'ready' | 'begin' | 'step' | 'end' | 'error'
  job?: string
  /** One run of a body. */
  run?: string
  step?: number
  message?: string
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
const POLL_MS = 20

/**
 * Polls until the condition holds.
 *
 * @param state - What is told of in the error.
 * @throws After the time limit.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = 60_000,
  state: () => unknown = () => '',
): Promise<NonNullable<T>> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    if (performance.now() > deadline) {
      throw new Error(`in ${limitMs / 1000} s there was no ${what} ${JSON.stringify(await state())}`)
    }
    await delay(POLL_MS)
  }
}

/** A worker in a process of its own. */
export class WorkerProcess {
  readonly name: string
  readonly #settings: WorkerSettings
  #child: ReturnType<typeof spawn> | null = null

  constructor(settings: Omit<WorkerSettings, 'notes'>) {
    this.name = settings.name
    this.#settings = { ...settings, notes: join(settings.root, `${settings.name}.jsonl`) }
  }

  /** Starts it, once more after it ended, and waits until it runs jobs. */
  async start(): Promise<void> {
    const before = this.notes().filter(({ kind }) => kind === 'ready').length
    const child = spawn(process.execPath, [WORKER, JSON.stringify(this.#settings)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.#child = child
    await until(`worker ${this.name}`, () => {
      if (child.exitCode !== null) throw new Error(`worker ${this.name} ended`)
      return this.notes().filter(({ kind }) => kind === 'ready').length > before
    })
  }

  /** What it noted so far, also before it was started again. */
  notes(): WorkerNote[] {
    const { notes } = this.#settings
    if (!existsSync(notes)) return []
    const whole = readFileSync(notes, 'utf8').split('\n').slice(0, -1) // the last one may be half written
    return whole.map(line => JSON.parse(line) as WorkerNote)
  }

  get hasEnded(): boolean {
    const child = this.#child
    return child === null || child.exitCode !== null || child.signalCode !== null
  }

  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#child?.kill(signal)
  }

  /** Ends it and resolves when it has. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    if (child === null || this.hasEnded) return child?.exitCode ?? null
    const ended = once(child, 'exit')
    if (signal === 'SIGKILL') child.kill('SIGCONT') // a stopped one ends as well; the kernel takes it as it is
    child.kill(signal)
    await ended
    return child.exitCode
  }
}
