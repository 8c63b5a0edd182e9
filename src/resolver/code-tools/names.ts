import { FaultlineError } from '../../core/errors.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { MAX_DISTANCE, nearest } from './find-file.ts'

/** A name as it was given: what it is called, and what that belongs to. */
export interface GivenName {
  name: string
  container: string | null
}

const SEPARATORS = /::|[.#/\\]|->/

/** `Cart.summary`, `cart::total`, `Cart#total`: the last part is the name, the one before it what it stands in. */
export function readName(given: string): GivenName {
  const [called = ''] = given.trim().split('(') // without the arguments of a call
  const parts = called.split(SEPARATORS).filter(part => part !== '')
  return { name: parts.at(-1) ?? given.trim(), container: parts.at(-2) ?? null }
}

/** Names of definitions near to one that is not there. */
function nearNames(name: string, { definitionNames }: CodeReader): string[] {
  const { length } = name
  return nearest(name, definitionNames(Math.floor(length * (1 - MAX_DISTANCE)), Math.ceil(length / (1 - MAX_DISTANCE))))
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
