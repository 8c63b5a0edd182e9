import { FaultlineError, WorkerLostError } from '../core/errors.ts'
import { rejectedBy } from '../core/rejected-by.ts'
import { Semaphore } from '../core/semaphore.ts'
import { remoteOf, type Peer } from './rpc.ts'
import type { TaskPort, TaskProcess } from './task.ts'

interface ProcessPoolOptions {
  processes: number
  /** At once in each. */
  tasksPerProcess: number
  /**
   * Milliseconds that a task waits for a process before a further one may start; left out: none. The first one has
   * opened what tasks read, and has V8's code for it; a further one has to come to that.
   */
  patienceMs?: number
  /** Milliseconds that a task has to come to its end once nobody wants it; left out: none. Then its process ends. */
  graceMs?: number
  /** Milliseconds that a process without a task goes on. */
  idleMs: number
  /** Called when the last of the processes has ended because nothing was asked for so long. */
  onIdle?: () => void
  /** Called with the reason when a process ended that was not to end: its exit code or signal. */
  onLost?: (reason: unknown) => void
  /** Starts a process that serves a `TaskProcess`, and which may be ended at any instant. */
  start: () => Peer
}

interface PooledTask {
  port?: TaskPort
  [field: string]: unknown
}

const hasEnded = (): FaultlineError => new FaultlineError('SHUTTING_DOWN', 'The server is shutting down.')

/** One process of a pool, from its start to its end. */
class PooledProcess {
  running = 0
  readonly remote: TaskProcess
  #peer: Peer | undefined
  #idle: NodeJS.Timeout | undefined
  #ended: Promise<unknown> | undefined

  constructor(start: () => Peer, onLost: (reason: unknown) => void) {
    this.remote = remoteOf<TaskProcess>(() => (this.#peer = start()), {
      onCrash: reason => {
        if (this.#ended === undefined) onLost(reason)
      },
    })
  }

  begin(): void {
    clearTimeout(this.#idle)
    this.running++
  }

  /** @param onIdle - Called when it had no task for so long. */
  finish(idleMs: number, onIdle: () => void): void {
    this.running--
    if (this.running === 0) this.#idle = setTimeout(onIdle, idleMs).unref()
  }

  /** Resolves when it has ended, however many ask for it. */
  async end(): Promise<void> {
    clearTimeout(this.#idle)
    this.#ended ??= this.#peer?.terminate()
    await this.#ended
  }
}

/**
 * Processes that run tasks, each of which starts with the first task for which all others are busy too long, and ends
 * when it had none for a while: what it took goes back to the machine. A task whose process ended without being told to
 * is begun once more, in another one.
 */
export class ProcessPool {
  readonly #options: ProcessPoolOptions
  readonly #permits: Semaphore
  /** The one used last first, so that those ones end that are not needed. */
  #processes: PooledProcess[] = []
  /** So many processes may be at work at first. */
  readonly #fewest: number
  /** And so many now. */
  #allowed: number
  #isClosed = false

  constructor(options: ProcessPoolOptions) {
    this.#options = options
    this.#fewest = options.patienceMs === undefined ? options.processes : 1
    this.#allowed = this.#fewest
    this.#permits = new Semaphore(this.#fewest * options.tasksPerProcess)
  }

  /**
   * Calls a function of the module with the task. Who aborts waits no longer; the process ends, whatever it does,
   * unless the task comes to its end soon.
   *
   * @throws The signal's reason; {FaultlineError} SHUTTING_DOWN; {WorkerLostError} when two processes ended at it.
   */
  async run(task: PooledTask, { name, signal }: { name: string; signal?: AbortSignal }): Promise<unknown> {
    await this.#permit(signal)
    const result = this.#runTwice(task, name, signal)
    return await (signal === undefined ? result : Promise.race([result, rejectedBy(signal)]))
  }

  async destroy(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#processes.map(one => this.#end(one)))
  }

  /** Waits until a process may be taken. */
  async #permit(signal: AbortSignal | undefined): Promise<void> {
    const timer = setTimeout(() => this.#allowOneMore(), this.#options.patienceMs)
    try {
      await this.#permits.acquire(signal)
    } finally {
      clearTimeout(timer)
    }
  }

  #allowOneMore(): void {
    const { processes, tasksPerProcess } = this.#options
    if (this.#allowed === processes) return
    this.#allowed++
    this.#permits.add(tasksPerProcess)
  }

  /** Gives the permit back when no process works on the task any more. */
  async #runTwice(task: PooledTask, name: string, signal: AbortSignal | undefined): Promise<unknown> {
    try {
      return await this.#runOnce(task, name, signal)
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error
      return await this.#runOnce(task, name, signal)
    } finally {
      this.#permits.release()
    }
  }

  async #runOnce({ port, ...task }: PooledTask, name: string, signal: AbortSignal | undefined): Promise<unknown> {
    signal?.throwIfAborted() // it may have fired while the permit was given
    const used = this.#take()
    const end = (): void => {
      this.#end(used).catch(() => {}) // nobody has it any more
    }
    let grace: NodeJS.Timeout | undefined
    const endSoon = (): void => {
      grace = setTimeout(end, this.#options.graceMs ?? 0)
    }
    used.begin()
    signal?.addEventListener('abort', endSoon)
    try {
      return await used.remote.run(name, task, message => port?.postMessage(message))
    } catch (error) {
      signal?.throwIfAborted()
      end() // what a task answers as an error is a result: this process could not be used, and may never be
      throw this.#isClosed ? hasEnded() : error
    } finally {
      clearTimeout(grace)
      signal?.removeEventListener('abort', endSoon)
      used.finish(this.#options.idleMs, () => this.#retire(used))
    }
  }

  #take(): PooledProcess {
    if (this.#isClosed) throw hasEnded()
    const { start, tasksPerProcess, onLost } = this.#options
    const free = this.#processes.find(({ running }) => running < tasksPerProcess)
    const taken: PooledProcess =
      free ??
      new PooledProcess(start, reason => {
        this.#forget(taken)
        onLost?.(reason)
      })
    this.#forget(taken)
    this.#processes.unshift(taken)
    return taken
  }

  #retire(one: PooledProcess): void {
    this.#end(one).then(
      () => {
        this.#allowNoMore()
        if (this.#processes.length === 0 && !this.#isClosed) this.#options.onIdle?.()
      },
      () => {}, // nobody has it any more
    )
  }

  /** What was not needed for a while is not needed at once when much is asked again. */
  #allowNoMore(): void {
    const { tasksPerProcess } = this.#options
    const needed = Math.max(this.#fewest, this.#processes.length)
    this.#permits.remove((this.#allowed - needed) * tasksPerProcess)
    this.#allowed = needed
  }

  #forget(one: PooledProcess): void {
    this.#processes = this.#processes.filter(other => other !== one)
  }

  async #end(one: PooledProcess): Promise<void> {
    this.#forget(one)
    await one.end()
  }
}
