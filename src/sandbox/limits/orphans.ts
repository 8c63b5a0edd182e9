import { readdirSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { killNow, ofProcess } from './process-tree.ts'

/**
 * Ends jails that a dead server left: one killed while bubblewrap set up its namespaces leaves the first process of the
 * jail waiting forever, because that has not yet asked to die with its parent. Call it at start, while the folder's
 * lock is held and nothing of ours runs.
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
