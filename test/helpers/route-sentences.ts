import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
/** What speaks of HTTP to those who use it, and is shown by no command and no page. */
const OF_HTTP = /^(?:routes|contract|http|cli|web)\/|^pipelines\/\w+\/body\.ts$/
/** A route in a sentence. */
export const ROUTE = /\b(?:GET|POST|PUT|PATCH|DELETE) \/\w*/
const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** A text literal as it is read, what is put into it being the name of a project. */
const textOf = (literal: string): string =>
  literal
    .slice(1, -1)
    .replaceAll(/\$\{[^}]*\}/g, 'shop')
    .replaceAll(/\\(['"`])/g, '$1')

/** Literals one after the other that are joined by + are one sentence. */
function sentencesOf(source: string): string[] {
  const code = source
    .replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '')
    .replaceAll(/ \/\/ .*$/gm, '')
    .replaceAll(/(['`])\s*\+\s*(['`])/g, (joined, before, after) => (before === after ? '' : joined))
  return [...code.matchAll(LITERAL)].map(([literal]) => textOf(literal)).filter(text => ROUTE.test(text))
}

/** The sentences of the sources that tell a client of a route. */
export const routeSentences = (): string[] =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !OF_HTTP.test(name))
    .flatMap(name => sentencesOf(readFileSync(join(SRC, name), 'utf8')))
