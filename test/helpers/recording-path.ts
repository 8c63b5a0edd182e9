import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A PATH on which these programs note the arguments that they are called with, before they run. */
export function recordingPath(root: string, programs: readonly string[]): { path: string; argumentsOf: () => string } {
  const folder = join(root, 'recording')
  const file = join(root, 'arguments.txt')
  mkdirSync(folder, { recursive: true })
  for (const program of programs) {
    const real = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${file}'\nexec '${real}' "$@"\n`
    writeFileSync(join(folder, program), script, { mode: 0o755 })
  }
  return { path: `${folder}:${process.env.PATH ?? ''}`, argumentsOf: () => readFileSync(file, 'utf8') }
}
