import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../fixtures/traces')

/** What a real runtime printed when a small program crashed; its version is in the name. */
export const readTrace = (name: string): string => readFileSync(join(FOLDER, `${name}.txt`), 'utf8')

export const traceNames = (): string[] =>
  readdirSync(FOLDER)
    .filter(name => name.endsWith('.txt'))
    .map(name => name.slice(0, -4))
    .sort()
