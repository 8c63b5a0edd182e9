import { baseName } from '../../../core/path-names.ts'

/** Names with blanks stand in quotes. */
const QUOTED = /["'`«“]([^"'`«»“”\n]+)["'`»”]/g
const WORD = /[^\s"'`()<>,;:*«»“”]+/g

const wordsOf = (request: string): string[] => [
  ...Array.from(request.matchAll(WORD), ([word]) => word.replace(/[.!?]$/, '')),
  ...Array.from(request.matchAll(QUOTED), ([, name = '']) => name.trim()).filter(name => name.includes(' ')),
]

/**
 * Files that the words of a request name, by their path or its end of two names or more, or by a name that only one
 * file has. In the order of the words; linear.
 */
export function namedFiles(request: string, paths: readonly string[]): string[] {
  const words = new Set(
    wordsOf(request)
      .map(word => word.replace(/^\.\//, ''))
      .filter(word => word.includes('.') || word.includes('/')),
  )
  if (words.size === 0) return []
  const byName = new Map<string, string[]>()
  for (const path of paths) {
    const name = baseName(path)
    const same = byName.get(name)
    if (same === undefined) byName.set(name, [path])
    else same.push(path)
  }
  return [...words].flatMap(word => {
    const same = byName.get(baseName(word)) ?? []
    const ended = same.filter(path => path === word || path.endsWith(`/${word}`))
    return ended.length === 1 ? ended : []
  })
}
