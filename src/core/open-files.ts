import { readFileSync } from 'node:fs'

const TITLE = /^Max open files\s+(\d+|unlimited)/m
/** What Linux gives a process that nobody configured. */
const USUAL = 1024

function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return '' // another system than Linux
  }
}

/**
 * How many files, sockets and pipes this process may have open at once (`ulimit -n`, which Node raises to the hard
 * limit at its start). Infinity where there is no limit.
 */
export function openFileLimit(limits: string = ownLimits()): number {
  const found = TITLE.exec(limits)?.[1]
  if (found === undefined) return USUAL
  return found === 'unlimited' ? Infinity : Number(found)
}
