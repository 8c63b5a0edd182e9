import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { elementsOf } from './page-forms.ts'

/** Texts that would be markup, script or a leak in a page that does not escape them, one a line of the fixture. */
export const ATTACKS: readonly string[] = readFileSync(
  join(import.meta.dirname, '../fixtures/markup-attacks.txt'),
  'utf8',
)
  .trimEnd()
  .split('\n')

/** The scripts of every page; all beyond them an attack has made. */
const SCRIPTS = 3
const FORBIDDEN = new Set(['iframe', 'base', 'style', 'svg', 'math', 'object', 'embed', 'template', 'img'])

function wrongAttribute({ name, value }: { name: string; value: string }): boolean {
  if (/^(?:on|hx-on)/.test(name) || name === 'http-equiv') return true
  if (name === 'hx-get') return !value.startsWith('/ui/')
  // a link to another site is followed by a person; nothing else may lead there
  if (['src', 'action', 'formaction'].includes(name)) return value.includes('evil.example')
  return name === 'href' && !/^(?:https?:|[/#?])/.test(value)
}

/**
 * What an attack made of a page: elements, handlers and addresses that pages never have.
 *
 * @param scripts - How many the page has of its own; a part of a page has none.
 */
export function madeBy(markup: string, scripts = SCRIPTS): string[] {
  const elements = elementsOf(markup)
  const found = elements.flatMap(({ tagName, attrs }) => [
    ...(FORBIDDEN.has(tagName) ? [tagName] : []),
    ...attrs.filter(wrongAttribute).map(({ name, value }) => `${tagName} ${name}=${value}`),
  ])
  const run = elements.filter(({ tagName }) => tagName === 'script').length
  return run === scripts ? found : [...found, `${run} scripts`]
}
