import { readdirSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { killNow, ofProcess } from './process-tree.ts'

/**
 * Ends jails that a dead server left: one that was killed while bubblewrap set its namespaces up leaves the first
 * process of the jail waiting for ever, since that has not yet asked to die with its parent. For the start, while the
 * lock of the folder is held and nothing of ours runs.
 */
export function endOrphans(workspacesDir: string): void {
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const [program = '', ...args] = ofProcess(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0')
    const workspace = args[args.indexOf('--bind') + 1]
    if (
      !program.endsWith('/bwrap') ||
      !args.includes('--bind') ||
      workspace?.startsWith(workspacesDir + sep) !== true
    ) {
      continue
    }
    killNow(Number(pid))
  }
}
