import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHILD_ENV } from './child-env.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
const PROGRAMS = '/usr/lib/postgresql/15/bin'

/** pg_dump has to be of the version of the server; that of npm has none. */
export const DUMP_VERSION = 15

/** Runs a command of docs/scale.md, with the test's own folders. */
export function documented(begin: string, { url, folder }: { url: string; folder: string }): void {
  const command = PAGE.split('\n').find(line => line.startsWith(begin))
  if (command === undefined) throw new Error(`docs/scale.md has no command ${begin}`)
  const own = command.replaceAll('/srv', folder).replaceAll('faultline.dump', join(folder, 'faultline.dump'))
  execFileSync('sh', ['-c', own], {
    stdio: 'pipe',
    env: { ...CHILD_ENV, PATH: `${PROGRAMS}:${CHILD_ENV.PATH}`, DATABASE_URL: url },
  })
}
