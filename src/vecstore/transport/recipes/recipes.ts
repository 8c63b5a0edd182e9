import { FOLDED, lexicalOf } from './folded.ts'
import { GRAPH } from './graph.ts'
import { LEARNED } from './learned.ts'
import { POSTINGS } from './postings.ts'
import type { Recipe } from './recipe.ts'
import { ROWS } from './rows.ts'

const FIT = 'fit.bin'
const GRAPH_FILE = 'vectors.hnsw'

export const isVectors = (path: string): boolean => path.endsWith('.vectors')

/** Those that can make a file of this name, the best first. */
export function recipesFor(path: string): readonly Recipe[] {
  if (path === GRAPH_FILE) return [GRAPH]
  if (path === FIT) return [LEARNED]
  if (path.endsWith('.lexical')) return [POSTINGS]
  return isVectors(path) ? [FOLDED, ROWS] : []
}

/** Null for one of another release. */
export function recipeNamed(path: string, name: string): Recipe | null {
  return recipesFor(path).find(recipe => recipe.name === name) ?? null
}

/**
 * The files that what travels of a file depends on.
 *
 * @param paths - Of all files of the generation that it was described for.
 */
export function othersOf(path: string, paths: Iterable<string>): string[] {
  if (path === GRAPH_FILE) return [...paths].filter(isVectors)
  return isVectors(path) ? [lexicalOf(path), FIT] : []
}

/** In the order in which files can be made: each after those that it depends on. */
export const stageOf = (path: string): number => {
  if (path === GRAPH_FILE) return 2
  return isVectors(path) ? 1 : 0
}
