import { baseName } from '../../core/path-names.ts'

/** Groups of file extensions whose languages call each other as their own. */
const FAMILIES = [
  ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts', 'jsx', 'tsx', 'vue', 'svelte', 'astro'],
  ['java', 'kt', 'kts', 'scala', 'groovy', 'clj'],
  ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'inc', 'inl', 'm', 'mm'],
  ['py', 'pyi', 'pyx', 'pxd'],
  ['rb', 'rake', 'erb', 'gemspec'],
  ['ex', 'exs', 'erl', 'hrl'],
  ['cs', 'fs', 'vb'],
  ['pl', 'pm', 't'],
]
const BY_ENDING = new Map(FAMILIES.flatMap((endings, family) => endings.map(ending => [ending, String(family)])))

/** The language family of a file, by its extension; files of one family are likelier to break each other. */
export function languageFamily(path: string): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  const ending = dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
  return BY_ENDING.get(ending) ?? `.${ending}`
}
