import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Limits of one run. */
export interface RunLimits {
  /** Wall clock time from the moment at which the program starts. */
  timeoutMs: number
  /** Memory of the whole tree of processes; checked every 100 ms. */
  memoryMb: number
  /** Size of the workspace; checked every 500 ms. */
  diskMb: number
  /** Processes and threads. */
  processes: number
}

/** Bytes of a mebibyte. */
export const MIB = 1024 * 1024

const FILE_BYTES = 256 * MIB
/**
 * A coarse limit, because Node 24 reserves 512 MiB of it for each of its threads. `watch` in `supervise.ts` applies the
 * exact one.
 */
const DATA_BYTES = 4096 * MIB
const STACK_BYTES = 8 * MIB // charged for each thread as data

/** The names of `prlimit`'s options and those of /proc/self/limits. */
const KERNEL_NAMES = {
  core: 'Max core file size',
  nproc: 'Max processes',
  nofile: 'Max open files',
  fsize: 'Max file size',
  data: 'Max data size',
  cpu: 'Max cpu time',
  stack: 'Max stack size',
  memlock: 'Max locked memory',
  msgqueue: 'Max msgqueue size',
  sigpending: 'Max pending signals',
} as const
type Resource = keyof typeof KERNEL_NAMES

/**
 * The command that sets the limits of each process, to be put before another one. It has to run inside of the user
 * namespace, or the processes of all jails count together.
 *
 * @param hardLimits - What this process may not raise; see `ownHardLimits`.
 */
export function limiterArgv(
  { timeoutMs, processes }: Pick<RunLimits, 'timeoutMs' | 'processes'>,
  hardLimits: ReadonlyMap<string, number>,
): string[] {
  const wanted: Record<Resource, number> = {
    core: 0,
    nproc: processes,
    nofile: 512,
    fsize: FILE_BYTES,
    data: DATA_BYTES,
    // a fuse, should the server be gone: the wall clock comes first
    cpu: Math.ceil(timeoutMs / 1000) * availableParallelism() + 1,
    stack: STACK_BYTES,
    memlock: 0,
    msgqueue: 0,
    sigpending: 256,
  }
  const options = Object.entries(wanted).map(
    ([name, value]) => `--${name}=${Math.min(value, hardLimits.get(name) ?? Infinity)}`,
  )
  return ['/usr/bin/prlimit', ...options, '--', '/usr/bin/nice', '-n', '10', '--']
}

/** Hard limits of this process by the names of `prlimit`; unlimited ones are left out. */
export function ownHardLimits(text: string = readFileSync('/proc/self/limits', 'utf8')): Map<string, number> {
  const found = new Map<string, number>()
  for (const [name, title] of Object.entries(KERNEL_NAMES)) {
    const line = text.split('\n').find(one => one.startsWith(title))
    const hard = Number(line?.slice(title.length).trim().split(/\s+/)[1])
    if (Number.isSafeInteger(hard)) found.set(name, hard)
  }
  return found
}
