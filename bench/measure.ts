import { readdirSync, readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100
const SAMPLE_MS = 50
const IDLE_SPAN_MS = 300
const IDLE_CPU_MS = 20

/**
 * `rssBytes` is of the process alone, `treeBytes` with all below it: git maps whole packs, which count although they
 * are only the disk's cache.
 */
interface Usage {
  rssBytes: number
  treeBytes: number
  cpuMs: number
}

/** Whether it has not begun a program of its own yet: what it seems to hold is its parent's. */
function isFork(pid: number, parent: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === readFileSync(`/proc/${parent}/cmdline`, 'latin1')
  } catch {
    return true // it ended while we looked
  }
}

/**
 * Memory and processor time of a process and all below it, those that have ended and were waited for included. Linux
 * only.
 */
export function usageOf(pid: number): Usage {
  const processes = new Map(
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(name => {
        try {
          const fields = readFileSync(`/proc/${name}/stat`, 'latin1')
            .replace(/^.*\) /s, '')
            .split(' ')
          const [parent, rssPages, ...ticks] = [1, 21, 11, 12, 13, 14].map(i => Number(fields[i]))
          return [
            [
              Number(name),
              { parent, rssBytes: (rssPages ?? 0) * 4_096, ticks: ticks.reduce((sum, one) => sum + one, 0) },
            ],
          ] as const
        } catch {
          return [] // it ended while we looked
        }
      }),
  )
  const isBelow = (one: number | undefined): boolean =>
    one === pid || (one !== undefined && one > 1 && isBelow(processes.get(one)?.parent))
  const family = [...processes]
    .filter(([one, { parent }]) => isBelow(one) && !(one !== pid && isFork(one, parent ?? 0)))
    .map(([, usage]) => usage)
  return {
    rssBytes: processes.get(pid)?.rssBytes ?? 0,
    treeBytes: family.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
    cpuMs: (family.reduce((sum, { ticks }) => sum + ticks, 0) * 1_000) / TICKS_A_SECOND,
  }
}

/** Serves a local repository to our git: a remote's work, which another machine does for any other address. */
const REMOTE = /^(?:[^\0\s]*\0)*(?:git-)?upload-pack\0|\bupload-pack(?: --\S+)* '/

function isRemote(pid: number): boolean {
  try {
    return REMOTE.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
  } catch {
    return true // it ended while we looked
  }
}

/** A process and all below it, without what serves a local repository as its remote would. */
function family(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'latin1').replace(/^.*\) /s, '')
        return [[Number(name), Number(fields.split(' ')[1])] as const]
      } catch {
        return [] // it ended while we looked
      }
    })
  const children = Map.groupBy(parents, ([, parent]) => parent)
  const childrenOf = (one: number): number[] => (children.get(one) ?? []).map(([child]) => child)
  const below = (one: number): number[] => (isRemote(one) ? [] : [one, ...childrenOf(one).flatMap(below)])
  return below(pid)
}

/** Bytes of a process and of each below it, where a page that several share counts in parts (PSS). Linux only. */
export const sharesOf = (pid: number): number[] =>
  family(pid).map(one => {
    try {
      return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1_024
    } catch {
      return 0 // it ended while we looked
    }
  })

/** The most memory that a process alone ever had, by the kernel's own count. */
export const highWaterOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

/**
 * Until a process and all below it have hardly used the processor for a while: what earlier work left to do in the
 * background is done.
 */
export async function untilIdle(pid: number): Promise<void> {
  for (;;) {
    const { cpuMs } = usageOf(pid)
    await new Promise(resolve => setTimeout(resolve, IDLE_SPAN_MS))
    if (usageOf(pid).cpuMs - cpuMs <= IDLE_CPU_MS) return
  }
}

/** Watches the memory of a process and of all below it, until it is asked for the most that they took. */
export function watchMemory(pid: number): { peak(): { own: number; tree: number } } {
  const peak = { own: 0, tree: 0 }
  const look = () => {
    const { rssBytes, treeBytes } = usageOf(pid)
    peak.own = Math.max(peak.own, rssBytes)
    peak.tree = Math.max(peak.tree, treeBytes)
  }
  const timer = setInterval(look, SAMPLE_MS)
  return {
    peak() {
      clearInterval(timer)
      look()
      return peak
    },
  }
}

export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now()
  const value = await work()
  return { value, ms: performance.now() - startedAt }
}

interface Quantiles {
  p50: number
  p99: number
  max: number
  count: number
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: values.length }
}

export const showQuantiles = ({ p50, p99, max, count }: Quantiles): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${max.toFixed(1)} ms (${count} requests)`
export const megabytes = (bytes: number): number => Math.round(bytes / 1e6)
