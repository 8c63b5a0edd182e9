import { baseName } from '../../core/path-names.ts'

const VERSION =
  /(?:^|[\s"'`*([/,=:@-])v?(\d{1,4}\.\d{1,4}(?:\.\d{1,6})?(?:[-.]?(?:rc|alpha|beta|dev|pre|post|M)[-.]?\d{0,4})?)(?=\.(?:jar|war|gem|dll|tgz|zip|phar|whl)\b|[.-]*(?![\w.-]))/gi
const MAX_TEXT_CHARS = 65_536
const MAX_BEFORE_CHARS = 100
const FILLER = new Set(['version', 'versions', 'ver', 'v', 'release', 'is', 'tag'])
/** Prefixes of the version in tags that stand for a whole repository. */
const GENERAL = new Set(['', 'v', 'r', 'release', 'rel', 'version', 'ver', 'stable'])

/** A version that the text names, and its tag. */
interface NamedVersion {
  version: string
  tag: string
}

interface VersionTag {
  tag: string
  name: string
}

/** Whether a text names any version at all; if not, no tag needs to be read. */
export const namesVersion = (text: string): boolean => text.slice(0, MAX_TEXT_CHARS).search(VERSION) !== -1

/**
 * In a repository with several packages, the tag with the package's name, then one for the whole repository; never
 * another package's.
 */
function bestTag(tags: readonly VersionTag[], name: string): string | null {
  const plain = baseName(name).toLowerCase()
  const best = tags.find(tag => tag.name === plain) ?? tags.find(tag => GENERAL.has(tag.name))
  return best?.tag ?? null
}

function nameBefore(text: string, at: number): string | null {
  const before =
    text
      .slice(Math.max(0, at - MAX_BEFORE_CHARS), at + 1)
      .split('\n')
      .at(-1) ?? ''
  const words = before
    .match(/(?:@[\w.-]{1,60}\/)?[\p{L}_][\p{L}\p{N}_.-]*/gu)
    ?.map(word => word.replace(/(?<![-._])[-._]+$/, ''))
    .filter(word => word !== '' && !FILLER.has(word.toLowerCase()))
  return words?.at(-1) ?? null
}

/** Removes what separates a name from its version: separators, and a `v` after one. */
function withoutMark(name: string): string {
  const isMark = (at: number): boolean =>
    '-_@.'.includes(name.charAt(at)) || (name.charAt(at) === 'v' && (at === 0 || '-_@.'.includes(name.charAt(at - 1))))
  let end = name.length
  while (end > 0 && isMark(end - 1)) end--
  return name.slice(0, end)
}

/** A version without a final zero: 1.2.0 is also written 1.2. */
const plainVersion = (version: string): string => version.toLowerCase().replace(/^(\d+\.\d+)\.0$/, '$1')

/**
 * `v1.2.3`, `release-1.2.3`, `shop@1.2.3`, `cart/v1.2.3` and `rel_1_2_3` all stand for 1.2.3; the prefix says what of.
 */
function readTag(tag: string): VersionTag & { version: string } {
  const last = baseName(tag).toLowerCase()
  const start = last.search(/(?<!\d)\d+[._]\d/)
  if (start === -1) return { tag, name: '', version: '' }
  const before = withoutMark(last.slice(0, start))
  const folder = baseName(tag.slice(0, Math.max(0, tag.lastIndexOf('/')))).toLowerCase()
  return {
    tag,
    name: before === '' && !folder.startsWith('@') ? folder : before,
    version: plainVersion(last.slice(start).replaceAll('_', '.')),
  }
}

/**
 * The version of the project that a text names, when a tag fits it. Logs hold many versions, of the runtime and of
 * libraries; only one that follows a name of the project counts (`Shop: 8.15.0`, `shop@8.15.0`, `gems/shop-8.15.0/`).
 *
 * @param isOwn - Whether a name is one of the project's: of its repositories and packages.
 */
export function versionTag(
  text: string,
  isOwn: (name: string) => boolean,
  tags: readonly string[],
): NamedVersion | null {
  if (tags.length === 0) return null
  const byVersion = Map.groupBy(tags.map(readTag), ({ version }) => version)
  for (const match of text.slice(0, MAX_TEXT_CHARS).matchAll(VERSION)) {
    const version = match[1] ?? ''
    const fitting = byVersion.get(plainVersion(version))
    const name = fitting === undefined ? null : nameBefore(text, match.index)
    if (fitting === undefined || name === null || !isOwn(name)) continue
    const tag = bestTag(fitting, name)
    if (tag !== null) return { version, tag }
  }
  return null
}
