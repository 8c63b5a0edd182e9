import { basename } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import type { Unreadable } from './generation-check.ts'
import { generationPaths, isMissing, listGenerations, readCurrent, type GenerationPaths } from './layout.ts'

/** More races against publishing are not lost in a row unless builds follow each other without a pause. */
const MAX_ATTEMPTS = 10

/** `gone` is no answer: it was looked for again. */
export interface UnreadableNewest extends Unreadable {
  unreadable: Exclude<Unreadable['unreadable'], 'gone'>
}

type Opened<T> = T | Unreadable
type Open<T> = (paths: GenerationPaths) => Promise<Opened<T>>

async function orGone<T>(open: Open<T>, paths: GenerationPaths): Promise<Opened<T>> {
  try {
    return await open(paths)
  } catch (error) {
    if (isMissing(error)) return { unreadable: 'gone', detail: 'its files are missing' }
    throw error
  }
}

/**
 * What `open` makes of the published generation, else of an older one that is still whole. When another one is
 * published meanwhile it is asked again.
 * @param open - May throw for a missing file.
 * @returns null when nothing is published. @throws {FaultlineError} PROJECT_BUSY when publishing was quicker ten times
 * in a row.
 */
export async function openNewest<T extends object>(
  projectDir: string,
  open: Open<T>,
): Promise<T | UnreadableNewest | null> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const current = await readCurrent(projectDir)
    if (current === null) return null
    const opened = await orGone(open, generationPaths(projectDir, current))
    if (!('unreadable' in opened)) return opened
    if (opened.unreadable === 'gone' && (await readCurrent(projectDir)) !== current) continue
    for (const older of (await listGenerations(projectDir)).filter(generation => generation < current)) {
      const previous = await orGone(open, generationPaths(projectDir, older))
      if (!('unreadable' in previous)) return previous
    }
    return { ...opened, unreadable: opened.unreadable === 'gone' ? 'damaged' : opened.unreadable }
  }
  throw new FaultlineError(
    'PROJECT_BUSY',
    `New indexes of project ${basename(projectDir)} were published faster than one could be opened.`,
    'Send the request again.',
  )
}
