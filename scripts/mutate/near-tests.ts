import { basename, dirname } from 'node:path/posix'
import type { ImportGraph } from '../figures/modules.ts'

/** How many imports away a test may be that stands neither in the file's folder nor in one above it. */
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

/** The file that a test is named after. */
function namesakeOf(test: string): string {
  return test.replace(/^test\//, 'src/').replace(/\.test\.ts$/, '.ts')
}

/** How many folders a folder stands below another, which contains it; Infinity where that does not. */
function levelsBelow(folder: string, above: string): number {
  if (folder === above) return 0
  return folder.startsWith(`${above}/`) ? folder.slice(above.length).split('/').length - 1 : Infinity
}

/**
 * The tests that are likely to notice a change to a file, the likeliest first: the one of the same name, those that
 * import it, then those that reach it by the fewest imports. A test counts as importing the file that it is named
 * after, though it may reach that by others only. These stand in the changed file's folder or one above it, where each
 * level counts as an import, or are near it by their imports. Last are those of its folder that do not reach it by
 * imports: they may start it as a program or a thread. Of equal ones those come first that have the file's name in
 * theirs, as `ruby-blocks.test.ts` for `ruby.ts`.
 */
export function nearTests(path: string, graph: ImportGraph, most: number): string[] {
  const sameName = path.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')
  const distances = importersOf(path, graph)
  const distanceOf = (test: string): number => {
    const throughNamesake = (distances.get(namesakeOf(test)) ?? Infinity) + 1
    return Math.min(distances.get(test) ?? Infinity, throughNamesake)
  }
  const rank = (test: string): number => {
    if (test === sameName) return 0
    const distance = distanceOf(test)
    if (distance === 1) return 1
    const levels = dirname(test) === 'test' ? Infinity : levelsBelow(dirname(sameName), dirname(test))
    if (levels < Infinity && distance < Infinity) return distance + levels
    if (levels === 0) return graph.size
    return distance <= MAX_DISTANCE ? distance + 1 : Infinity
  }
  const hasName = (test: string): boolean => basename(test).startsWith(`${basename(path, '.ts')}-`)
  return [...graph.keys()]
    .filter(file => file.endsWith('.test.ts'))
    .map(test => ({ test, rank: rank(test), isOther: hasName(test) ? 0 : 1 }))
    .filter(one => one.rank < Infinity)
    .sort((a, b) => a.rank - b.rank || a.isOther - b.isOther || (a.test < b.test ? -1 : 1))
    .slice(0, most)
    .map(({ test }) => test)
}
