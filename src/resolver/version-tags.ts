const VERSION = /(?:^|[\s"'([/,=:@-])v?(\d{1,4}\.\d{1,4}(?:\.\d{1,6})?(?:[-.]?(?:rc|alpha|beta|dev|pre|post|M)[-.]?\d{0,4})?)(?![\w.-]*\w)/gi
const MAX_TEXT_CHARS = 65_536
const MAX_BEFORE_CHARS = 60

/** A version that the text names, and the tag that stands for it. */
export interface NamedVersion {
  version: string
  tag: string
}

/**
 * The version of the project that a text names, when a tag fits it. Logs hold many versions, of the runtime and of
 * libraries: only one that a name of the project stands before counts (`Shop: 8.15.0`, `shop@8.15.0`, `gems/shop-8.15.0/`).
 *
 * @param names - What the project is called: its repositories and packages.
 */
export function versionTag (text: string, names: readonly string[], tags: readonly string[]): NamedVersion | null {
  if (tags.length === 0) return null
  const byVersion = new Map(tags.map(tag => [versionOf(tag), tag]))
  const own = new Set(names.map(name => name.toLowerCase()))
  for (const match of text.slice(0, MAX_TEXT_CHARS).matchAll(VERSION)) {
    const version = match[1] ?? ''
    const tag = byVersion.get(version.toLowerCase())
    if (tag === undefined) continue
    const before = text.slice(Math.max(0, match.index - MAX_BEFORE_CHARS), match.index + 1).split('\n').at(-1) ?? ''
    const words = before.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_.-]*/gu)?.filter(word => word !== 'version' && word !== 'v') ?? []
    const name = words.at(-1)?.replace(/[-.]+$/, '')
    if (name !== undefined && own.has(name)) return { version, tag }
  }
  return null
}

/** `v1.2.3`, `release-1.2.3`, `shop@1.2.3` and `rel_1_2_3` all stand for 1.2.3. */
function versionOf (tag: string): string {
  const plain = tag.slice(tag.lastIndexOf('/') + 1).toLowerCase()
  const start = plain.search(/\d+[._]\d/)
  return start === -1 ? '' : plain.slice(start).replaceAll('_', '.')
}
