import type { Metrics } from './prometheus.ts'

/** What is counted before anybody asks; then the library is loaded and counts it. */
const MAX_WAITING = 1_000
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Counts what a server does. The library that counts is loaded when somebody asks for the first time, or when there is
 * much to count: loading it takes a tenth of a start, and 20 MB.
 *
 * @param knownModels - The configured ones.
 */
export function createMetrics(knownModels: readonly string[]): Metrics {
  const waiting: Array<(counters: Metrics) => void> = []
  let counters: Metrics | undefined
  let loading: Promise<Metrics> | undefined

  async function start(): Promise<Metrics> {
    const { createPrometheus } = await import('./prometheus.ts')
    counters = createPrometheus(knownModels)
    for (const count of waiting.splice(0)) count(counters)
    return counters
  }

  const load = (): Promise<Metrics> => (loading ??= start())

  function count(one: (counters: Metrics) => void): void {
    if (counters !== undefined) {
      one(counters)
      return
    }
    waiting.push(one)
    if (waiting.length === MAX_WAITING) load().catch(() => {}) // whoever asks gets the error
  }

  return {
    request: (...args) => count(({ request }) => request(...args)),
    modelCall: call => count(({ modelCall }) => modelCall(call)),
    sandboxRun: run => count(({ sandboxRun }) => sandboxRun(run)),
    forwarded: result => count(({ forwarded }) => forwarded(result)),
    watch: sources => count(({ watch }) => watch(sources)),
    contentType: CONTENT_TYPE,
    text: async visibleTo => (await load()).text(visibleTo),
  }
}
