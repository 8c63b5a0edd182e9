import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const MEMORY_FIELD = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm
/** Fields of /proc/PID/stat behind the name: the state, and when the process was started. */
const [STATE, STARTED_AT] = [0, 19]
const GONE_EVERY_MS = 5
const GONE_LIMIT_MS = 10_000

/** A process, identified by its number and start time, because numbers are reused. */
export interface KnownProcess {
  pid: number
  startedAt: string
}

const OUT_OF_REACH = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

/** The result of reading or signalling a process; `otherwise` when it has ended or belongs to another user. */
export function ofProcess<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch (error) {
    if (!OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return otherwise
  }
}

function childrenOf(pid: number): number[] {
  return ofProcess(() => readdirSync(`/proc/${pid}/task`), []).flatMap(thread => {
    const children = ofProcess(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'), '')
    return children
      .split(' ')
      .map(Number)
      .filter(child => child > 0)
  })
}

/** The ids of a process and all its descendants that are alive now. Linux only. */
export function processTree(root: number): number[] {
  const found = [root]
  for (let at = 0; at < found.length; at++) found.push(...childrenOf(found[at] ?? 0)) // grows as it is walked
  return found
}

function memoryBytes(pid: number): number {
  const status = ofProcess(() => readFileSync(`/proc/${pid}/status`, 'latin1'), '')
  let kib = 0
  for (const [, value] of status.matchAll(MEMORY_FIELD)) kib += Number(value)
  return kib * 1024
}

/**
 * The memory that a process and its descendants hold and that cannot be reclaimed, in bytes. Shared memory counts for
 * each. Synchronous; about 25 µs a process.
 */
export function treeMemoryBytes(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + memoryBytes(pid), 0)
}

/** A running process; null when it has ended, even if its exit code was not read yet. */
export function knownProcess(pid: number): KnownProcess | null {
  const stat = ofProcess(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startedAt = fields[STARTED_AT]
  return startedAt === undefined || fields[STATE] === 'Z' || fields[STATE] === 'X' ? null : { pid, startedAt }
}

/** Whether that very process still runs. */
export const isAlive = ({ pid, startedAt }: KnownProcess): boolean => knownProcess(pid)?.startedAt === startedAt

/**
 * Resolves when a process has ended.
 *
 * @throws {Error} It does not end: the kernel holds it, for example while a disk does not respond.
 */
export async function untilGone(process: KnownProcess): Promise<void> {
  for (const end = performance.now() + GONE_LIMIT_MS; isAlive(process);) {
    if (performance.now() > end) throw new Error('a program that was ended goes on; its workspace cannot be read')
    await wait(GONE_EVERY_MS)
  }
}

/**
 * Sends SIGKILL to a process, or with a negative number to a group. One that has ended, or (without a jail) became
 * another user's, is no error.
 */
export function killNow(pid: number): void {
  ofProcess(() => process.kill(pid, 'SIGKILL'), false)
}
