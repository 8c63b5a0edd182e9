import { FaultlineError } from '../../core/errors.ts'
import { tokenize } from '../../core/tokenize.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { nearest } from './find-file.ts'

/** A name as it was given: what it is called, and what that belongs to. */
export interface GivenName {
  name: string
  container: string | null
}

const SEPARATORS = /::|[.#/\\]|->/
const LOOKED_AT = 20

/** `Cart.summary`, `cart::total`, `Cart#total`: the last part is the name, the one before it what it stands in. */
export function readName(given: string): GivenName {
  const [called = ''] = given.trim().split('(') // without the arguments of a call
  const parts = called.split(SEPARATORS).filter(part => part !== '')
  return { name: parts.at(-1) ?? given.trim(), container: parts.at(-2) ?? null }
}

/** Names of definitions near to one that is not there. They come from files whose code has words of it. */
function nearNames(name: string, reader: CodeReader): string[] {
  const terms = tokenize(name)
  if (terms.length === 0) return []
  const hits = reader.searchTerms(new Map(terms.map(term => [term, 1])), LOOKED_AT)
  const files = new Map(hits.map(({ repository, path }) => [`${repository}\n${path}`, { repository, path }]))
  const names = [...files.values()].flatMap(({ repository, path }) =>
    reader.definitionsIn(repository, path).map(definition => definition.name),
  )
  return nearest(name, names)
}

/** The error for a name that the code does not know. */
export function nameNotFound(given: string, what: string, reader: CodeReader): FaultlineError {
  const near = nearNames(readName(given).name, reader).filter(name => name !== given)
  return new FaultlineError(
    'NAME_NOT_FOUND',
    `${what} ${JSON.stringify(given)}.`,
    near.length > 0 ? `Near to it: ${near.join(', ')}.` : 'search_code finds code by words, too.',
  )
}
