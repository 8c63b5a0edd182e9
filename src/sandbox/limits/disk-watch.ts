import { spawn } from 'node:child_process'
import { hasPipes } from '../../core/open-files.ts'
import { STEP_BACK } from '../jail/command-line.ts'
import { killNow } from './process-tree.ts'

/**
 * Prints every half second how many bytes and entries the folders contain; ends when its stdin does, so also when the
 * server is gone.
 */
const LOOP = `${STEP_BACK}
while :; do
  read -r -t 0.5; [ $? -gt 128 ] || exit 0
  bytes=$(du -scx --block-size=1 -- "$@" 2>/dev/null | tail -n 1)
  entries=$(du -scx --inodes -- "$@" 2>/dev/null | tail -n 1)
  echo "\${bytes%%[!0-9]*} \${entries%%[!0-9]*}" || exit 0
done`

/** Most runs end before the first look. */
const FIRST_LOOK_MS = 400
/** Files and folders; more could not be collected, and take long to delete. */
const MAX_ENTRIES = 200_000

/**
 * Watches the disk usage of folders together. A program that writes 1 GB/s is half a gigabyte over the limit before it
 * is noticed.
 *
 * @returns A function that ends the watch.
 */
export function watchDisk(
  folders: readonly string[],
  { limitBytes, onExceeded }: { limitBytes: number; onExceeded: () => void },
): () => void {
  let end = () => {}
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    const child = spawn('/bin/bash', ['-c', LOOP, 'bash', ...folders], {
      cwd: folders[0], // a folder that is gone cannot be begun in
      env: { PATH: '/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    if (!hasPipes(child)) {
      timer = setTimeout(look, FIRST_LOOK_MS)
      return
    }
    child.on('error', () => {}) // the folder is gone
    child.stdin.on('error', () => {})
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1')
      const lines = said.split('\n')
      said = lines.pop() ?? ''
      for (const line of lines) {
        const [bytes = 0, entries = 0] = line.split(' ').map(Number)
        if (bytes > limitBytes || entries > MAX_ENTRIES) onExceeded()
      }
    })
    end = () => {
      child.stdin.end()
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killNow(-child.pid)
    }
  }

  timer = setTimeout(look, FIRST_LOOK_MS)
  return () => {
    clearTimeout(timer)
    end()
  }
}
