import type { Budget, JobRequest, Json, JsonObject, Progress, ReplyTo, TranscriptEntry, Usage } from '../core/job.ts'
import { isExhausted, spentOf } from './budget.ts'
import type { KeptFiles } from './files/job-files.ts'
import type { JobStore } from './store/job-store.ts'
import type { StoredJob } from './store/rows.ts'
import type { TextKind } from './store/job-texts.ts'
import { createTextBuffer } from './run/text-buffer.ts'
import { BUDGET_STEP, budgetSpent, Suspension, timedOut, type Expired } from './waiting.ts'

/** What a pipeline gets to work with. */
export interface JobContext<Input = JsonObject> {
  readonly id: string
  readonly input: Input
  /** Name of the API key that made the job. */
  readonly keyName: string | null
  /** Fires when the job is cancelled, when it begins to wait, and when the server stops. */
  readonly signal: AbortSignal
  /**
   * Runs a named step once: its output is stored, and after a crash or a wait the stored output is returned instead. A
   * step that was cut off runs again, so it must be idempotent. Outputs go through JSON: no Date, Map or class. A name
   * that comes again is another step (`x`, `x:1`, …), so the body has to call in the same order each time.
   */
  step<T>(name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Asks a person and waits for the reply: the body ends here (`Suspension` is thrown through it) and is run again when
   * there is one. Named like a step.
   *
   * @throws {FaultlineError} REPLY_TIMED_OUT when nobody replied in time.
   */
  ask<Kind extends Exclude<JobRequest['kind'], 'budget'>>(
    name: string,
    request: Extract<JobRequest, { kind: Kind }>,
  ): Promise<ReplyTo<Kind>>
  /**
   * To be called before each call of a model: when the budget is used up the job waits until a person raises it.
   *
   * @throws {FaultlineError} BUDGET_EXHAUSTED when a person was asked and let it be; REPLY_TIMED_OUT when nobody
   * replied.
   */
  checkBudget(): void
  /** Whether the time of the budget is over, for work that calls no model. */
  isOutOfTime(): boolean
  progress(progress: Progress): void
  /**
   * A sentence about the work, or, with `stream`, a piece of what a program printed, which is told a moment later with
   * the pieces after it.
   */
  log(text: string, stream?: 'stdout' | 'stderr'): void
  /** A piece of what a model writes; told to those who follow the job a moment later, with the pieces after it. */
  token(text: string): void
  addUsage(usage: Usage, redactions?: number): void
  /** Keeps an entry of the transcript, under the step that runs now. */
  record(entry: TranscriptEntry): void
  /**
   * What clients can fetch while the job runs and after it has ended, however it ends. A step that runs again puts the
   * same again.
   */
  readonly files: KeptFiles
  /** What `GET /jobs/{id}/diff` gives. */
  setDiff(text: string): void
  /** What `GET /jobs/{id}/patch` gives: a format-patch. */
  setPatch(text: string): void
  /**
   * An empty folder of this job for a sandbox to run in. It is made anew by each call with the same name and goes with
   * the run of the body.
   */
  workspace(name: string): Promise<string>
}

export interface ContextOptions {
  job: StoredJob
  signal: AbortSignal
  store: JobStore
  record: (step: string | null, entry: TranscriptEntry) => void
  files: KeptFiles
  setText: (kind: TextKind, text: string) => void
  workspace: (name: string) => Promise<string>
  /** Told each time something was written. */
  changed: () => void
  /** Told the name of each step as it is entered. */
  entered: (step: string) => void
  /** Told that the job has to wait; fires the signal. */
  suspend: (suspension: Suspension) => void
  activeMs: () => number
  onError: (error: unknown) => void
}

const PROGRESS_INTERVAL_MS = 250
const PIECES_TOGETHER = { holdMs: 40, maxChars: 4_096 }

const isExpired = (output: Json): output is Expired & JsonObject =>
  typeof output === 'object' && output !== null && !Array.isArray(output) && output.expired === true

export function createJobContext({
  job,
  signal,
  store,
  record,
  files,
  setText,
  workspace,
  changed,
  entered,
  suspend,
  activeMs,
  onError,
}: ContextOptions): JobContext & { end(): void } {
  let lastProgressAt = 0
  let lastProgressStep = ''
  let currentStep: string | null = null
  let hasEnded = false
  let { usage, redactions } = job
  const uses = new Map<string, number>()
  const tokens = createTextBuffer(text => tell(() => store.tell(job.seq, 'token', text)), PIECES_TOGETHER)
  const printed = {
    stdout: createTextBuffer(
      text => tell(() => store.tell(job.seq, 'log', text, { stream: 'stdout' })),
      PIECES_TOGETHER,
    ),
    stderr: createTextBuffer(
      text => tell(() => store.tell(job.seq, 'log', text, { stream: 'stderr' })),
      PIECES_TOGETHER,
    ),
  }
  function flush(): void {
    for (const buffer of [tokens, printed.stdout, printed.stderr]) buffer.flush()
  }

  /** Progress and log lines are told when they can be; a full disk must not end a job that is getting on. */
  function tell(write: () => void): void {
    if (signal.aborted || hasEnded) return
    try {
      write()
      changed()
    } catch (error) {
      onError(error)
    }
  }

  /** A body that goes on after its run has ended can change nothing of the job, which may run again by then. */
  function needRun(): void {
    if (hasEnded) throw new Error('the run of this job has ended; what its body still does is discarded')
  }

  /** The name of this call among those of the same name. */
  function enter(name: string): string {
    signal.throwIfAborted()
    if (name === BUDGET_STEP) throw new Error(`${BUDGET_STEP} is no name for a step: waits for a higher budget have it`)
    const before = uses.get(name) ?? 0
    uses.set(name, before + 1)
    currentStep = before === 0 ? name : `${name}:${before}`
    entered(currentStep)
    return currentStep
  }

  function set(kind: TextKind, text: string): void {
    needRun()
    setText(kind, text)
  }

  function wait(asked: string, request: JobRequest): never {
    flush()
    const suspension = new Suspension(asked, request)
    suspend(suspension)
    throw suspension
  }

  return {
    id: job.id,
    input: store.input(job.seq),
    keyName: job.keyName,
    signal,
    async step<T>(name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const unique = enter(name)
      const stored = store.stepOutput(job.seq, unique)
      if (stored !== undefined) return stored.output as T
      const output = await run(signal)
      signal.throwIfAborted()
      flush()
      store.finishStep(job.seq, unique, output as Json)
      changed()
      return output
    },
    async ask<Kind extends JobRequest['kind']>(name: string, request: JobRequest): Promise<ReplyTo<Kind>> {
      const unique = enter(name)
      const stored = store.stepOutput(job.seq, unique)
      if (stored === undefined) return wait(unique, request)
      if (isExpired(stored.output)) throw timedOut(stored.output)
      return stored.output as ReplyTo<Kind>
    },
    checkBudget() {
      signal.throwIfAborted()
      const limit: Budget = job.budget ?? {}
      const spent = spentOf(usage, activeMs())
      if (!isExhausted(spent, limit)) return
      const refused = store.stepOutput(job.seq, BUDGET_STEP)?.output
      if (refused !== undefined) throw isExpired(refused) ? timedOut(refused) : budgetSpent()
      wait(BUDGET_STEP, { kind: 'budget', spent, limit })
    },
    isOutOfTime: () => isExhausted(spentOf(usage, activeMs()), { seconds: job.budget?.seconds }),
    progress(progress) {
      const isLast = progress.total !== null && progress.done >= progress.total
      if (progress.step === lastProgressStep && !isLast && performance.now() - lastProgressAt < PROGRESS_INTERVAL_MS) {
        return
      }
      lastProgressAt = performance.now()
      lastProgressStep = progress.step
      flush()
      tell(() => store.progress(job.seq, progress))
    },
    log(text, stream) {
      if (stream !== undefined) {
        printed[stream === 'stdout' ? 'stderr' : 'stdout'].flush() // what came first is told first
        printed[stream].add(text)
        return
      }
      flush()
      tell(() => store.tell(job.seq, 'log', text))
    },
    token: tokens.add,
    addUsage(more, redacted = 0) {
      needRun()
      usage = {
        llmCalls: usage.llmCalls + more.llmCalls,
        promptTokens: usage.promptTokens + more.promptTokens,
        completionTokens: usage.completionTokens + more.completionTokens,
        usd: more.usd === null ? usage.usd : (usage.usd ?? 0) + more.usd,
      }
      redactions += redacted
      store.setUsage(job.seq, { usage, redactions, activeMs: activeMs() })
    },
    record(entry) {
      needRun()
      record(currentStep, entry)
    },
    files: {
      ...files,
      async put(changed) {
        needRun()
        await files.put(changed)
      },
    },
    setDiff: text => set('diff', text),
    setPatch: text => set('patch', text),
    async workspace(name) {
      needRun()
      return workspace(name)
    },
    /** The body has ended: what is held back is told, and nothing after it. */
    end() {
      flush()
      hasEnded = true
    },
  }
}
