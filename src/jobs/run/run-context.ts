import type { Budget, JobRequest, Json, JsonObject, Progress, ReplyTo, TranscriptEntry, Usage } from '../../core/job.ts'
import { isExhausted, spentOf } from '../budget.ts'
import type { DiskRoom } from '../disk-room.ts'
import { showLine } from '../../core/visible-text.ts'
import type { AuditedOperation, FeatureWriter, JobContext, KeptFiles, TaskWriter } from '../job-context.ts'
import type { ClaimedJob, JobStore, TextKind } from '../store/job-store.ts'
import { isStale, type RunKey } from '../store/run-key.ts'
import { packJson } from '../store/packed-json.ts'
import { BUDGET_STEP, budgetSpent, Suspension, timedOut, type Expired } from '../waiting.ts'
import { OrderedWrites } from './ordered-writes.ts'
import { createFeatureWriter } from './feature-writer.ts'
import { createTaskWriter } from './task-writer.ts'
import { createTextBuffer } from './text-buffer.ts'
import { waitForRoom, type Patience } from './wait-for-room.ts'

/** What the context of a run asks of the run. */
export interface RunHooks {
  signal: AbortSignal
  /** Called with the name of each step as it is entered. */
  entered: (step: string) => void
  /** Called when the job has to wait; fires the signal. */
  suspend: (suspension: Suspension) => void
  /** Called when the job was claimed by another run; fires the signal. */
  lose: () => void
  /** How long the job has run, this run and those before. */
  activeMs: () => number
}

/** What one run of a job works with. */
interface RunContextOptions extends RunHooks {
  job: ClaimedJob
  input: JsonObject
  store: Pick<
    JobStore,
    'steps' | 'events' | 'transcript' | 'texts' | 'tasks' | 'features' | 'audit' | 'setUsage' | 'setInput' | 'setResult'
  >
  diskRoom: DiskRoom
  patience: Patience
  files: KeptFiles
  workspace: (name: string) => Promise<string>
  /** The same data; secrets in its texts are replaced. */
  withoutSecrets: <T>(value: T) => T
  /** Called each time something was written. */
  changed: () => void
  onError: (error: unknown) => void
}

const PROGRESS_INTERVAL_MS = 250
/** Of what an audited operation was done to: names of branches and files. */
const MAX_TARGET_CHARS = 500
const PIECES_TOGETHER = { holdMs: 40, maxChars: 4_096 }

const isExpired = (output: Json): output is Expired & JsonObject =>
  typeof output === 'object' && output !== null && !Array.isArray(output) && output.expired === true

function sumUsd(before: number | null, more: number | null): number | null {
  if (more === null) return before
  return (before ?? 0) + more
}

/**
 * The context of one run of a job's body. Its functions may be taken out of it one by one. A body that goes on after
 * its run has ended can change nothing of the job, which may run again by then.
 */
export class RunContext implements JobContext {
  readonly id: string
  readonly run: RunKey
  readonly input: JsonObject
  readonly keyName: string | null
  readonly signal: AbortSignal
  readonly files: KeptFiles
  readonly task: TaskWriter
  readonly feature: FeatureWriter
  readonly #options: RunContextOptions
  readonly #writes = new OrderedWrites()
  readonly #uses = new Map<string, number>()
  readonly #tokens = createTextBuffer(text => this.#tellText('token', text), PIECES_TOGETHER)
  readonly #printed = {
    stdout: createTextBuffer(text => this.#tellText('log', text, { stream: 'stdout' }), PIECES_TOGETHER),
    stderr: createTextBuffer(text => this.#tellText('log', text, { stream: 'stderr' }), PIECES_TOGETHER),
  }
  #usage: Usage
  #redactions: number
  #step: string | null = null
  #lastProgress: { at: number; progress: Progress | null }
  /** Progress that came too soon after the one before it to be shown. */
  #heldProgress: Progress | null = null
  /**
   * What the body told since the last step that an earlier run had done, when the job is run again: that run told it,
   * if it came to the next step. Null as soon as nothing is repeated any more.
   */
  #retold: Array<() => void> | null
  #hasEnded = false
  #isTellingBroken = false

  constructor(options: RunContextOptions) {
    const { job, input, signal, files } = options
    this.#options = options
    this.run = { seq: job.seq, attempt: job.attempt }
    this.#usage = job.usage
    this.#redactions = job.redactions
    this.#lastProgress = { at: 0, progress: job.progress }
    this.#retold = job.attempt > 1 ? [] : null
    this.id = job.id
    this.input = input
    this.keyName = job.keyName
    this.signal = signal
    this.files = {
      ...files,
      put: async changed => {
        this.#needRun()
        await this.#patiently(() => files.put(changed))
      },
    }
    const write = async (work: () => Promise<void>): Promise<void> => {
      this.#needRun()
      await this.#write(work)
    }
    this.feature = createFeatureWriter({ features: options.store.features, run: this.run, job, write })
    this.task = createTaskWriter({
      tasks: options.store.tasks,
      run: this.run,
      write,
      record: entry => this.record(entry),
      withoutSecrets: options.withoutSecrets,
    })
  }

  readonly step = async <T>(name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const unique = this.#enter(name)
    const stored = await this.#stored(unique)
    if (stored !== undefined) return this.#repeated(stored.output as T)
    this.#tellRetold()
    if (this.#options.job.losses > 0) await this.#write(() => this.#options.store.steps.begin(this.run, unique))
    this.signal.throwIfAborted()
    const output = await run(this.signal)
    this.#flush()
    await this.#write(async () => {
      this.signal.throwIfAborted()
      await this.#options.store.steps.finish(this.run, unique, output as Json)
    })
    this.#options.changed()
    return output
  }

  readonly ask = async <Kind extends JobRequest['kind']>(name: string, request: JobRequest): Promise<ReplyTo<Kind>> => {
    const unique = this.#enter(name)
    const stored = await this.#stored(unique)
    if (stored === undefined) {
      this.#showHeldProgress() // a job that waits says for what
      return this.#wait(unique, request)
    }
    if (isExpired(stored.output)) throw timedOut(stored.output)
    return this.#repeated(stored.output as ReplyTo<Kind>)
  }

  readonly checkBudget = async (): Promise<void> => {
    this.signal.throwIfAborted()
    const limit: Budget = this.#options.job.budget ?? {}
    const spent = spentOf(this.#usage, this.#options.activeMs())
    if (!isExhausted(spent, limit)) return
    const refused = await this.#stored(BUDGET_STEP)
    if (refused !== undefined) throw isExpired(refused.output) ? timedOut(refused.output) : budgetSpent()
    await this.#wait(BUDGET_STEP, { kind: 'budget', spent, limit })
  }

  readonly waitForRoom = (): Promise<void> => this.#patiently(() => this.#options.diskRoom.requireForReply())

  readonly isOutOfTime = (): boolean => {
    const spent = spentOf(this.#usage, this.#options.activeMs())
    return isExhausted(spent, { seconds: this.#options.job.budget?.seconds })
  }

  readonly isOverBudget = (): boolean =>
    isExhausted(spentOf(this.#usage, this.#options.activeMs()), this.#options.job.budget ?? {})

  readonly progress = (progress: Progress): void => this.#once(() => this.#showProgress(progress))

  readonly log = (text: string, stream?: 'stdout' | 'stderr'): void => {
    if (stream === undefined) {
      this.#once(() => {
        this.#flush()
        this.#tellText('log', text)
      })
      return
    }
    this.#printed[stream === 'stdout' ? 'stderr' : 'stdout'].flush() // what came first is written first
    this.#printed[stream].add(text)
  }

  readonly suspects = (found: JsonObject): void => {
    this.#flush()
    this.#tell(() => this.#options.store.events.suspects(this.run, found))
  }

  readonly token = (text: string): void => this.#tokens.add(text)

  readonly replaceInput = async (input: JsonObject): Promise<void> => {
    this.#needRun()
    const json = await packJson(Buffer.from(JSON.stringify(input)))
    await this.#write(() =>
      this.#options.store.setInput(this.run, { input, packed: { json, fields: Object.keys(input) } }),
    )
  }

  readonly addUsage = async (more: Usage, redactions = 0): Promise<void> => {
    this.#needRun()
    this.#usage = {
      llmCalls: this.#usage.llmCalls + more.llmCalls,
      promptTokens: this.#usage.promptTokens + more.promptTokens,
      completionTokens: this.#usage.completionTokens + more.completionTokens,
      usd: sumUsd(this.#usage.usd, more.usd),
    }
    this.#redactions += redactions
    const spent = { usage: this.#usage, redactions: this.#redactions, activeMs: this.#options.activeMs() }
    await this.#write(() => this.#options.store.setUsage(this.run, spent))
  }

  readonly setResult = async (result: unknown): Promise<void> => {
    this.#needRun()
    await this.#write(() => this.#options.store.setResult(this.run, result as Json))
  }

  readonly record = async (entry: TranscriptEntry): Promise<void> => {
    this.#needRun()
    const step = this.#step
    await this.#write(() => this.#options.store.transcript.add(this.run, step, entry))
  }

  readonly audit = async ({ action, target, outcome }: AuditedOperation): Promise<void> => {
    this.#needRun()
    const { keyName: key, projectName } = this.#options.job
    const named = showLine(this.#options.withoutSecrets(target)).slice(0, MAX_TARGET_CHARS)
    const clean = `${named} (job ${this.id})`
    const entry = { key, action, projectName, target: clean, outcome, requestId: null }
    await this.#write(() => this.#options.store.audit.add(entry))
  }

  readonly setDiff = (text: string): Promise<void> => this.#setText('diff', text)
  readonly setPatch = (text: string): Promise<void> => this.#setText('patch', text)

  readonly workspace = async (name: string): Promise<string> => {
    this.#needRun()
    return this.#options.workspace(name)
  }

  /** Shows a job that succeeded as done, however its steps were counted. */
  complete(): void {
    const { progress } = this.#lastProgress
    if (progress === null || progress.total === null || progress.done >= progress.total) return
    this.progress({ ...progress, done: progress.total, message: 'done' })
  }

  /** Ends the context with the body: what is held back is written, and nothing after it. */
  async end(): Promise<void> {
    this.#tellRetold()
    this.#flush()
    this.#hasEnded = true
    await this.#writes.idle()
  }

  #needRun(): void {
    if (this.#hasEnded) throw new Error('the run of this job has ended; what its body still does is discarded')
  }

  /** Writes what must not be lost, in its order; those after it wait with it for room. */
  #write(write: () => Promise<void>): Promise<void> {
    return this.#writes.add(() => this.#patiently(write))
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const { patience, onError, lose } = this.#options
    try {
      return await waitForRoom(work, { ...patience, signal: this.signal, onFull: onError })
    } catch (error) {
      if (isStale(error)) lose()
      throw error
    }
  }

  /** The name of this call among those of the same name. */
  #enter(name: string): string {
    this.signal.throwIfAborted()
    if (name === BUDGET_STEP) throw new Error(`${BUDGET_STEP} is no name for a step: waits for a higher budget have it`)
    const before = this.#uses.get(name) ?? 0
    this.#uses.set(name, before + 1)
    this.#step = before === 0 ? name : `${name}:${before}`
    this.#options.entered(this.#step)
    return this.#step
  }

  async #wait(asked: string, request: JobRequest): Promise<never> {
    this.#tellRetold()
    this.#flush()
    await this.#writes.idle()
    this.signal.throwIfAborted()
    const suspension = new Suspension(asked, request)
    this.#options.suspend(suspension)
    throw suspension
  }

  /** Tells something, unless an earlier run told it before a step that it finished. */
  #once(tell: () => void): void {
    if (this.#retold === null) tell()
    else this.#retold.push(tell)
  }

  /** An output of an earlier run, which had told what the body tells before it. */
  #repeated<T>(output: T): T {
    if (this.#retold !== null) this.#retold = []
    return output
  }

  #tellRetold(): void {
    const held = this.#retold ?? []
    this.#retold = null
    for (const tell of held) tell()
  }

  #showProgress(progress: Progress): void {
    const now = performance.now()
    const isLast = progress.total !== null && progress.done >= progress.total
    const isSoon = now - this.#lastProgress.at < PROGRESS_INTERVAL_MS
    const isSameStep = progress.step === this.#lastProgress.progress?.step
    if (isSameStep && isSoon && !isLast) {
      this.#heldProgress = progress
      return
    }
    this.#heldProgress = null
    this.#lastProgress = { at: now, progress }
    this.#flush()
    this.#tell(() => this.#options.store.events.progress(this.run, progress))
  }

  #showHeldProgress(): void {
    const held = this.#heldProgress
    if (held === null) return
    this.#lastProgress = { ...this.#lastProgress, at: -Infinity }
    this.#showProgress(held)
  }

  #flush(): void {
    for (const buffer of [this.#tokens, this.#printed.stdout, this.#printed.stderr]) buffer.flush()
  }

  #tellText(event: 'log' | 'token', text: string, more: JsonObject = {}): void {
    this.#tell(() => this.#options.store.events.text(this.run, event, text, more))
  }

  /** The output that an earlier run stored, also when the database is away for a while. */
  async #stored(name: string): Promise<{ output: Json } | undefined> {
    if (this.#options.job.isFresh) return undefined
    return await this.#patiently(() => this.#options.store.steps.output(this.run.seq, name))
  }

  /** Writes progress or text when it can be; a full disk must not end a job that is getting on. */
  #tell(write: () => Promise<void>): void {
    if (this.#hasEnded) return
    const written = this.#writes.add(async () => {
      if (this.signal.aborted) return
      await write()
      this.#options.changed()
    })
    written.then(
      () => {
        this.#isTellingBroken = false
      },
      (error: unknown) => {
        if (!this.#isTellingBroken) this.#options.onError(error) // once for each time that it breaks
        this.#isTellingBroken = true
      },
    )
  }

  async #setText(kind: TextKind, text: string): Promise<void> {
    this.#needRun()
    await this.#write(() => this.#options.store.texts.set(this.run, kind, text))
  }
}
