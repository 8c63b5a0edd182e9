const MAX_CHARS = 100

/** The next name where one is taken: `feat/x`, `feat/x-v2`, `feat/x-v3`. */
export function nextBranchName(name: string): string {
  const version = /-v([1-9][0-9]{0,5})$/.exec(name)
  if (version === null) return `${name}-v2`
  return `${name.slice(0, version.index)}-v${Number(version[1]) + 1}`
}

/** Words as a part of a branch name. */
const slug = (words: string): string =>
  words
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
    .join('-')

/**
 * The branch that a plan asks for, below the prefix of the project; one that no branch can have is made of other words.
 *
 * @param words - What the feature is called, in the order of preference.
 */
export function branchName(wanted: string, { prefix, words }: { prefix: string; words: readonly string[] }): string {
  const own = wanted.startsWith(prefix) ? wanted.slice(prefix.length) : wanted.replace(/^[\w.]+\//, '')
  const slugs = [own, ...words].map(text => slug(text).slice(0, MAX_CHARS).replace(/-$/, ''))
  const rest = slugs.find(text => text !== '') ?? 'feature'
  return `${prefix}${rest}`
}
