// Writes man/faultline.1 for the package, from the commands that the program has. `npm pack` runs it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

const page = execFileSync(process.execPath, [join(ROOT, 'src/cli.ts'), 'man'], { encoding: 'utf8' })
mkdirSync(join(ROOT, 'man'), { recursive: true })
writeFileSync(join(ROOT, 'man', 'faultline.1'), page)
