import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Modules of Node and packages that start a program or a thread, or open a socket. */
const OUTSIDE =
  /^(?:node:(?:child_process|worker_threads|net|tls|https?|dns|cluster)|undici|openai|fastify|simple-git)(?:\/|$)/
/** An import or export that is there when the program runs, with its source; types are stripped before. */
const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^'"`;]*?\sfrom\s)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm

/** Sources of a file's imports, and of text that looks like one; a file that is not there imports nothing. */
const importsOf = (file: string): string[] =>
  file.endsWith('.ts') && existsSync(file)
    ? [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, source, dynamic]) => source ?? dynamic ?? '')
    : []

const seen = new Map<string, boolean>()

/** Whether a file, or one that it imports, can reach out of its process. */
export function reachesOutside(file: string): boolean {
  const known = seen.get(file)
  if (known !== undefined) return known
  seen.set(file, false) // while it is looked at: a cycle adds nothing
  const found = importsOf(file).some(source =>
    source.startsWith('.') ? reachesOutside(join(file, '..', source)) : OUTSIDE.test(source),
  )
  seen.set(file, found)
  return found
}
