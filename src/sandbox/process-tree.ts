import { readdirSync, readFileSync } from 'node:fs'

const MEMORY_FIELD = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm

/** A process and all below it that are alive now, by their ids on this machine. Linux only. */
export function processTree (root: number): number[] {
  const found = [root]
  for (let at = 0; at < found.length; at++) found.push(...childrenOf(found[at] ?? 0)) // grows as it is walked
  return found
}

/**
 * What a process and all below it hold of memory that cannot be taken from them, in bytes. What several share counts for each.
 * Synchronous; about 25 µs a process.
 */
export function treeMemoryBytes (root: number): number {
  return processTree(root).reduce((sum, pid) => sum + memoryBytes(pid), 0)
}

function childrenOf (pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').map(Number).filter(child => child > 0))
  } catch {
    return [] // it ended while we looked
  }
}

function memoryBytes (pid: number): number {
  try {
    let kib = 0
    for (const [, value] of readFileSync(`/proc/${pid}/status`, 'latin1').matchAll(MEMORY_FIELD)) kib += Number(value)
    return kib * 1024
  } catch {
    return 0 // it ended while we looked
  }
}
