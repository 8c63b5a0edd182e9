import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../../helpers/test-folder.ts'

export const isRoot = process.getuid?.() === 0

export const bash = (cwd: string, script: string) =>
  execFileSync('/bin/bash', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })

export function setup(t: Test) {
  const workspacesDir = join(testFolder(t), 'workspaces')
  t.teardown(() => {
    if (existsSync(workspacesDir)) {
      execFileSync('/bin/bash', ['-c', 'chmod -R u+rwX "$1"; rm -rf "$1"', 'bash', workspacesDir])
    }
  })
  const dir = join(workspacesDir, 'job', 'work')
  return { workspacesDir, dir, owner: { workspacesDir, account: null } }
}
