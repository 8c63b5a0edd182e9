import { readFileSync } from 'node:fs'
import type { Mutant } from './mutants.ts'

/** A mutant that no test can notice, since the program does the same. It is found by the text of its line. */
interface EquivalentMutant {
  path: string
  before: string
  after: string
  why: string
}

const FILE = new URL('equivalent-mutants.json', import.meta.url)

/** The mutants that somebody has found to be equivalent. */
export function readEquivalents(): EquivalentMutant[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as EquivalentMutant[]
}

/** Leaves out those that are listed as equivalent. */
export function withoutEquivalents(mutants: readonly Mutant[], equivalents: readonly EquivalentMutant[]): Mutant[] {
  const key = ({ path, before, after }: Pick<Mutant, 'path' | 'before' | 'after'>) =>
    JSON.stringify([path, before, after])
  const known = new Set(equivalents.map(key))
  return mutants.filter(mutant => !known.has(key(mutant)))
}
