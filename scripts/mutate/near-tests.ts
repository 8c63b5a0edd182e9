import { dirname } from 'node:path/posix'
import type { ImportGraph } from '../figures/modules.ts'

/** How many imports away a test may be from the file, unless it stands in the file's folder. */
const MAX_DISTANCE = 2

/** The number of imports by which each file reaches the given one. */
function importersOf(path: string, graph: ImportGraph): Map<string, number> {
  const distances = new Map([[path, 0]])
  for (let found = [path], distance = 1; found.length > 0; distance++) {
    const targets = new Set(found)
    found = [...graph]
      .filter(([file, imports]) => !distances.has(file) && imports.some(one => targets.has(one)))
      .map(([file]) => file)
    for (const file of found) distances.set(file, distance)
  }
  return distances
}

/**
 * The tests that are likely to notice a change to a file, the likeliest first: the one of the same name, those that
 * import it, those of its folder by how near they import it, then those elsewhere that import it through one other.
 */
export function nearTests(path: string, graph: ImportGraph, most: number): string[] {
  const sameName = path.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')
  const distances = importersOf(path, graph)
  const rank = (test: string): number => {
    if (test === sameName) return 0
    const distance = distances.get(test) ?? Infinity
    if (distance === 1) return 1
    if (dirname(test) === dirname(sameName)) return 2
    return distance <= MAX_DISTANCE ? 3 : Infinity
  }
  const far = graph.size
  return [...graph.keys()]
    .filter(file => file.endsWith('.test.ts') && rank(file) < Infinity)
    .sort((a, b) => rank(a) - rank(b) || (distances.get(a) ?? far) - (distances.get(b) ?? far) || (a < b ? -1 : 1))
    .slice(0, most)
}
