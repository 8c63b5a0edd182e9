import { hnswProblem } from '../../src/vecstore/vectors/hnsw-library.ts'

const problem = hnswProblem()

/** Options of a test of HNSW itself, which only runs where hnswlib-node is installed. */
export const NEEDS_HNSW = { skip: problem === null ? false : `hnswlib-node: ${problem}` }

/** How a project is searched that is large enough for HNSW. */
export const LARGE_SEARCH = problem === null ? 'hnsw' : 'exact'
