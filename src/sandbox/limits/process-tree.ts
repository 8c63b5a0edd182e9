import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const MEMORY_FIELD = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm
/** Fields of /proc/PID/stat behind the name: the state, and when the process was started. */
const [STATE, STARTED_AT] = [0, 19]
const GONE_EVERY_MS = 5
const GONE_LIMIT_MS = 10_000

/** A process that its number alone does not name: numbers are given again. */
export interface KnownProcess {
  pid: number
  startedAt: string
}

const OUT_OF_REACH = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

/** What is read of a process, or done to it; `otherwise` when it has ended or is another user's. */
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

/** A process and all below it that are alive now, by their ids on this machine. Linux only. */
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
 * What a process and all below it hold of memory that cannot be taken from them, in bytes. What several share counts
 * for each. Synchronous; about 25 µs a process.
 */
export function treeMemoryBytes(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + memoryBytes(pid), 0)
}

/** Null when it has ended, also when nobody has asked for its exit code yet. */
export function knownProcess(pid: number): KnownProcess | null {
  const stat = ofProcess(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startedAt = fields[STARTED_AT]
  return startedAt === undefined || fields[STATE] === 'Z' || fields[STATE] === 'X' ? null : { pid, startedAt }
}

export const isAlive = ({ pid, startedAt }: KnownProcess): boolean => knownProcess(pid)?.startedAt === startedAt

/** @throws {Error} It does not end: the kernel holds it, as it does where a disk does not answer. */
export async function untilGone(process: KnownProcess): Promise<void> {
  for (const end = performance.now() + GONE_LIMIT_MS; isAlive(process);) {
    if (performance.now() > end) throw new Error('a program that was ended goes on; its workspace cannot be read')
    await wait(GONE_EVERY_MS)
  }
}

/**
 * Sends SIGKILL to a process, or with a negative number to a group; one that has ended, or (without a jail) became
 * another user's, is no error.
 */
export function killNow(pid: number): void {
  ofProcess(() => process.kill(pid, 'SIGKILL'), false)
}
