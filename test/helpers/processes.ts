import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Command lines of the living processes whose command line or working folder's arguments hold a text; zombies do not
 * count.
 */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return command.includes(text) && Number(pid) !== process.pid ? [`${pid} ${command}`] : []
      } catch {
        return [] // it ended meanwhile
      }
    })
}

/**
 * Waits, at most half a minute, until a condition that nothing announces is true; answers whether it became so.
 */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 1_500; attempt++) {
    if (await condition()) return true
    await wait(20)
  }
  return false
}

/** The processes of this one, or of another, that start git and programs. */
export const programStarters = (parent = process.pid): number[] =>
  processesWith('child-entry')
    .map(line => Number.parseInt(line, 10))
    .filter(pid => new RegExp(`^PPid:\\s+${parent}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8')))

/** The process group of a process, to which a terminal sends its signals. */
export const processGroup = (pid: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[2],
  )
