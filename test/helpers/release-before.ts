import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The first commit that works on PostgreSQL; the next release puts its own here. */
const RELEASE_BEFORE = '946ed711aa6f3af2b54b88f078a3e5a9ee2caf59'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PARTS = ['bin', 'src', 'test/helpers', 'prompts', 'templates', 'package.json']

/** Why the release before cannot be had here, for the `skip` of a test; false where it can. */
export function noReleaseBefore(): string | false {
  try {
    execFileSync('git', ['-C', ROOT, 'cat-file', '-e', `${RELEASE_BEFORE}^{commit}`], { stdio: 'ignore' })
    return false
  } catch {
    return `the history of this repository does not have ${RELEASE_BEFORE.slice(0, 8)}`
  }
}

/** Puts the release before into a folder, with the packages of this one. */
export function checkOutReleaseBefore(folder: string): { server: string; cli: string } {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['-C', ROOT, 'archive', RELEASE_BEFORE, '--', ...PARTS], {
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return { server: join(folder, 'test/helpers/inline-server.ts'), cli: join(folder, 'src/cli.ts') }
}
