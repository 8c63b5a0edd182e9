/** Work that is done in the background, one round at a time. */
export interface Lane {
  /** Asks for a round; one that was asked for while another goes on follows it. */
  run(): void
  runLater(delayMs: number): void
  /** Resolves when no round goes on. */
  idle(): Promise<void>
}

/** What a lane needs. */
interface LaneOptions {
  /** Whatever is wrong with a round; it never fails. */
  onError: (error: unknown, lane: Lane) => void
  /** No round begins after it fired. */
  closing: AbortSignal
}

/** Makes a lane; `round` gets it to ask for a further one. */
export function createLane(round: (lane: Lane) => Promise<void>, { onError, closing }: LaneOptions): Lane {
  let running: Promise<void> | undefined
  let isAskedAgain = false
  const timers = new Set<NodeJS.Timeout>()

  async function loop(lane: Lane): Promise<void> {
    while (isAskedAgain && !closing.aborted) {
      isAskedAgain = false
      await round(lane).catch((error: unknown) => onError(error, lane))
    }
    running = undefined // with the last look at the flag: nobody can ask in between
  }

  const lane: Lane = {
    run() {
      isAskedAgain = true
      running ??= loop(lane)
    },
    runLater(delayMs) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        lane.run()
      }, delayMs).unref()
      timers.add(timer)
    },
    idle: async () => running,
  }
  closing.addEventListener('abort', () => {
    for (const timer of timers) clearTimeout(timer)
  })
  return lane
}
