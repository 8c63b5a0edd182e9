import type { JsonObject, Json, Progress, Usage } from '../core/job.ts'
import type { JobStore } from './job-store.ts'

/** What a pipeline gets to work with. */
export interface JobContext<Input = JsonObject> {
  readonly id: string
  readonly input: Input
  /** Fires when the job is cancelled and when the server stops. */
  readonly signal: AbortSignal
  /**
   * Runs a named step once: its output is stored, and after a crash the stored output is returned instead. A step that a crash cut
   * off runs again, so it must be idempotent. Outputs go through JSON: no Date, Map or class.
   */
  step<T> (name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T>
  progress (progress: Progress): void
  log (text: string): void
  addUsage (usage: Usage): void
}

export interface ContextOptions {
  job: { id: string, seq: number, usage: Usage }
  signal: AbortSignal
  store: JobStore
  /** Told each time something was written. */
  changed: () => void
  /** Told the name of each step as it is entered. */
  entered: (step: string) => void
  onError: (error: unknown) => void
}

const PROGRESS_INTERVAL_MS = 250

export function createJobContext ({ job, signal, store, changed, entered, onError }: ContextOptions): JobContext {
  let lastProgressAt = 0
  let lastStep = ''
  let usage = job.usage

  /** Progress and log lines are told when they can be; a full disk must not end a job that is getting on. */
  function tell (write: () => void): void {
    if (signal.aborted) return
    try {
      write()
      changed()
    } catch (error) {
      onError(error)
    }
  }

  return {
    id: job.id,
    input: store.input(job.seq),
    signal,
    async step<T> (name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      entered(name)
      const stored = store.stepOutput(job.seq, name)
      if (stored !== undefined) return stored.output as T
      const output = await run(signal)
      signal.throwIfAborted()
      store.finishStep(job.seq, name, output as Json)
      changed()
      return output
    },
    progress (progress) {
      const isLast = progress.total !== null && progress.done >= progress.total
      if (progress.step === lastStep && !isLast && performance.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return
      lastProgressAt = performance.now()
      lastStep = progress.step
      tell(() => store.progress(job.seq, progress))
    },
    log: text => tell(() => store.log(job.seq, text)),
    addUsage (more) {
      usage = {
        llmCalls: usage.llmCalls + more.llmCalls,
        promptTokens: usage.promptTokens + more.promptTokens,
        completionTokens: usage.completionTokens + more.completionTokens,
        usd: more.usd === null ? usage.usd : (usage.usd ?? 0) + more.usd,
      }
      store.addUsage(job.seq, usage)
    },
  }
}
