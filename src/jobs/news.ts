import type { Followers } from './followers.ts'
import type { Runner } from './run/runner.ts'
import type { JobKey, JobStore } from './store/job-store.ts'

/** Carries short texts between the nodes that work on one database. What is told may be lost: a poll is behind it. */
export interface NewsLine {
  tell(channel: NewsChannel, item: string): void
  /** @param hears - Gets null when something may have been missed. */
  on(channel: NewsChannel, hears: (items: readonly string[] | null) => void): void
}

/** Both carry ids of jobs: `changed` with something new, `cancelled` whose bodies must end. */
export type NewsChannel = 'changed' | 'cancelled'

interface NewsDeps {
  line: NewsLine | null
  store: Pick<JobStore, 'find'>
  followers: Pick<Followers, 'announce' | 'announceAll'>
  runner: Pick<Runner, 'abort' | 'running'>
  onError: (error: unknown) => void
}

/** Behind the news: a job that was cancelled on another node is looked for so often. */
const CHECK_MS = 5_000

/** What happens to jobs, told to those who follow them here and on the other nodes. */
export class News {
  readonly #deps: NewsDeps
  #timer: NodeJS.Timeout | undefined

  constructor(deps: NewsDeps) {
    this.#deps = deps
  }

  start(): void {
    const { line, followers, runner } = this.#deps
    if (line === null) return
    line.on('changed', ids => {
      if (ids === null) followers.announceAll()
      for (const id of ids ?? []) followers.announce(id)
    })
    line.on('cancelled', ids => {
      if (ids === null) this.#check()
      for (const { id, seq } of runner.running()) if (ids?.includes(id) === true) runner.abort(seq)
    })
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Something new can be read of the job. */
  changed(id: string): void {
    this.#deps.followers.announce(id)
    this.#deps.line?.tell('changed', id)
  }

  /** The job was cancelled: whoever runs its body ends it. */
  cancelled({ id, seq }: JobKey): void {
    this.#deps.runner.abort(seq)
    this.#deps.line?.tell('cancelled', id)
  }

  /** Ends the runs of jobs that were cancelled and of which no news came. */
  #check(): void {
    const { store, runner, onError } = this.#deps
    for (const { id, seq } of runner.running()) {
      store.find(id).then(job => {
        if (job === null || job.status === 'cancelled') runner.abort(seq)
      }, onError)
    }
  }
}
