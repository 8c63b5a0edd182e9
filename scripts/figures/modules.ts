import { dirname, join } from 'node:path/posix'
import ts from 'typescript'
import type { Source } from './checkout.ts'

/** The files that each file imports, those imported for their types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Reads the imports and re-exports between the given files. */
export function importGraph(sources: readonly Pick<Source, 'path' | 'text'>[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, text }) => {
      const targets = ts
        .preProcessFile(text, true, false)
        .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => join(dirname(path), fileName))
      return [path, [...new Set(targets)].filter(target => paths.has(target))]
    }),
  )
}

/**
 * Groups of files of which each reaches every other by imports, sorted; a file that reaches only itself is none.
 * Tarjan's algorithm for strongly connected components.
 */
export function importCycles(graph: ImportGraph): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []

  function lower(file: string, to: number): void {
    lowest.set(file, Math.min(lowest.get(file) ?? to, to))
  }

  function visit(file: string): number {
    const own = order.size
    order.set(file, own)
    lowest.set(file, own)
    open.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) lower(file, visit(target))
      else if (open.includes(target)) lower(file, order.get(target) ?? own)
    }
    const reached = lowest.get(file) ?? own
    if (reached === own) {
      const group = open.splice(open.indexOf(file))
      if (group.length > 1) cycles.push(group.sort())
    }
    return reached
  }

  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
}
