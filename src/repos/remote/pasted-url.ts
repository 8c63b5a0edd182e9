/** What the address of a web page says beside the repository. */
export type RepositoryPage =
  /** A branch, tag or commit and then a folder or a file of it, undivided: names of branches hold slashes, too. */
  | { kind: 'place'; segments: string[]; isFolder: boolean }
  | { kind: 'commit'; commit: string }
  | { kind: 'tag'; tag: string }
  /** A pull or merge request, by the full name of the ref that forges keep for it. */
  | { kind: 'pull'; source: string }

/** A pasted address, taken apart. Nothing of it is checked yet. */
interface PastedUrl {
  /** The address of the repository itself. */
  url: string
  /** The address with all that counts, and nothing of a query or a fragment: what may be stored and read again. */
  address: string
  page: RepositoryPage | null
}

interface Found {
  /** How many segments of the path name the repository. */
  length: number
  page: RepositoryPage | null
  /** Whether the server redirects an address without `.git`, and redirects are not followed. */
  needsSuffix?: boolean
}

/** Forges whose addresses are known to the letter: no query of theirs changes the repository. */
const PUBLIC_FORGES: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'])
const WITHOUT_SCHEME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z][a-z0-9-]{1,30}\/[^/]/i
const COMMIT = /^[0-9a-f]{7,40}$/i
const NUMBER = /^[0-9]{1,10}$/

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))
/** Pages of a repository that show no other commit than the newest. */
const OTHER_PAGES = new Set([
  ...wordsOf('actions activity boards branches builds commits compare contributors deployments discussions downloads'),
  ...wordsOf('environments forks graphs insights issues jobs labels merge_requests milestones network packages'),
  ...wordsOf('pipelines projects pulls pulse releases security settings stargazers tags watchers wiki wikis'),
])
const GITEA_NAMES = wordsOf('branch tag commit')

/** Reads what stands behind a word of a path; null where it is no page. */
type ReadPage = (names: readonly string[]) => RepositoryPage | null

const placeWith =
  (isFolder: boolean): ReadPage =>
  names =>
    names.length === 0 ? null : { kind: 'place', segments: [...names], isFolder }

const pullWith =
  (prefix: string): ReadPage =>
  ([number = '']) =>
    NUMBER.test(number) ? { kind: 'pull', source: `refs/${prefix}/${number}/head` } : null

const readCommit: ReadPage = ([commit = '']) =>
  COMMIT.test(commit) ? { kind: 'commit', commit: commit.toLowerCase() } : null

const readTag: ReadPage = names => (names.length === 0 ? null : { kind: 'tag', tag: names.join('/') })

/** Pages by the word behind the repository's name, at GitHub and, with `/-/` before it, at GitLab. */
const PAGES: ReadonlyMap<string, ReadPage> = new Map([
  ['tree', placeWith(true)],
  ['commits', placeWith(false)],
  ['blob', placeWith(false)],
  ['blame', placeWith(false)],
  ['raw', placeWith(false)],
  ['edit', placeWith(false)],
  ['commit', readCommit],
  ['pull', pullWith('pull')],
  ['pulls', pullWith('pull')],
  ['merge_requests', pullWith('merge-requests')],
  ['releases', names => readTag(names[0] === 'tag' ? names.slice(1) : names)],
  ['tags', readTag],
])
const BITBUCKET_PAGES: typeof PAGES = new Map([
  ['src', placeWith(true)],
  ['branch', placeWith(false)],
  ['commits', readCommit],
])

const pageIn = (pages: typeof PAGES, [word = '', ...names]: readonly string[]): RepositoryPage | null =>
  pages.get(word)?.(names) ?? null

/** What stands behind `/-/`, which is GitLab's alone. */
function pageAtGitlab(segments: readonly string[]): Found | null {
  const length = segments.indexOf('-')
  const parts = length > 0 ? segments.slice(length + 1) : []
  const page = pageIn(PAGES, parts)
  const [word = ''] = parts
  return page === null && !OTHER_PAGES.has(word) ? null : { length, page, needsSuffix: true }
}

/** The page behind a repository's name of this many segments. */
function pageBehind(segments: readonly string[], length: number, host: string): Found | null {
  const parts = segments.slice(length)
  const [word = '', kind = ''] = parts
  if (word === 'src' && GITEA_NAMES.has(kind)) {
    const page = placeWith(true)(parts.slice(2))
    return page === null ? null : { length, page }
  }
  const page = pageIn(host === 'bitbucket.org' ? BITBUCKET_PAGES : PAGES, parts)
  const isKnown = PUBLIC_FORGES.has(host)
  if (page === null) return isKnown && OTHER_PAGES.has(word) ? { length, page } : null
  // `releases` and `tags` are no words that a forge keeps for itself everywhere
  return page.kind === 'tag' && !isKnown ? null : { length, page }
}

/** The repository in a path, with the page of it; null where the whole path is the repository. */
function findPage(segments: readonly string[], host: string): Found | null {
  const suffixed = segments.findIndex((segment, at) => at < segments.length - 1 && /\.git$/i.test(segment))
  const length = suffixed < 0 ? 2 : suffixed + 1
  return pageAtGitlab(segments) ?? pageBehind(segments, length, host)
}

/** The segments as they are meant; null where one means something else once it is decoded. */
function decoded(segments: readonly string[]): string[] | null {
  try {
    const plain = segments.map(segment => decodeURIComponent(segment))
    return plain.every(segment => /^[^/\\\p{C}]+$/u.test(segment) && segment !== '.' && segment !== '..') ? plain : null
  } catch {
    return null
  }
}

/** The page with its names as they are meant; undefined where one cannot be. */
function decodedPage(page: RepositoryPage | null): RepositoryPage | null | undefined {
  if (page?.kind === 'place') {
    const segments = decoded(page.segments)
    return segments === null ? undefined : { ...page, segments }
  }
  if (page?.kind !== 'tag') return page
  const tag = decoded(page.tag.split('/'))
  return tag === null ? undefined : { ...page, tag: tag.join('/') }
}

function withScheme(text: string): { scheme: string; rest: string } | null {
  const match = /^(?:git\+)?(https?):\/\//i.exec(text)
  if (match !== null) return { scheme: (match[1] ?? '').toLowerCase(), rest: text.slice(match[0].length) }
  return WITHOUT_SCHEME.test(text) ? { scheme: 'https', rest: text } : null
}

/** Splits before the first of some characters; all is before it where there is none. */
function splitAt(text: string, characters: RegExp): [before: string, from: string] {
  const at = text.search(characters)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

/** The segments of a path without slashes, and white space between such, at its ends. */
function segmentsOf(path: string): string[] {
  let end = path.length
  while (end > 0 && /[/\s]/.test(path.charAt(end - 1))) end--
  return path.slice(0, end).replace(/^\//, '').split('/')
}

/** A host as the forges know it: without `www.` where that is one of theirs. */
function knownHost(authority: string): string {
  const host = authority.toLowerCase().replace(/\.$/, '')
  const plain = host.replace(/^www\./, '')
  return PUBLIC_FORGES.has(plain) ? plain : host
}

const plainUrl = (url: string): PastedUrl => ({ url, address: url, page: null })

function readHttp(scheme: string, rest: string): PastedUrl {
  const [authority, tail] = splitAt(rest, /[/?#]/)
  const [path, extra] = splitAt(tail, /[?#]/)
  const segments = segmentsOf(path)
  if (authority === '' || authority.includes('@') || segments.includes('')) return plainUrl(`${scheme}://${rest}`)
  const host = knownHost(authority)
  const isKnown = PUBLIC_FORGES.has(host)
  const start = isKnown ? `https://${host}` : `${scheme}://${authority}`
  const found = findPage(segments, host)
  const page = decodedPage(found?.page ?? null)
  if (found === null || page === undefined) return plainUrl(`${start}/${segments.join('/')}${isKnown ? '' : extra}`)
  const repository = segments.slice(0, found.length).join('/')
  const suffix = found.needsSuffix === true && !/\.git$/i.test(repository) ? '.git' : ''
  const url = `${start}/${repository}${suffix}`
  return { url, address: page === null ? url : `${start}/${segments.join('/')}`, page }
}

/**
 * Reads what people paste for a repository: an address without `https://`, with `www.`, with slashes or white space
 * around it, or that of a page which a forge shows of the repository. It stays as it is where it is not certain what it
 * means. Pure; `parseRepositoryUrl` decides whether the `url` may be used.
 */
export function readPastedUrl(text: string): PastedUrl {
  const trimmed = text.trim()
  const parts = withScheme(trimmed)
  return parts === null ? plainUrl(trimmed) : readHttp(parts.scheme, parts.rest)
}

/**
 * The identity of a remote without what makes no difference at the public forges: capital letters, and whether it is
 * reached by SSH or HTTPS.
 */
export function plainIdentity(identity: string): string {
  const match = /^(?:ssh:\/\/(?:[^@/]+@)?|https:\/\/)([^/:@]+):(?:22|443)(?:\/~)?\/([^~][^]*)$/.exec(identity)
  const [, host = '', path = ''] = match ?? []
  return PUBLIC_FORGES.has(host) ? `https://${host}:443/${path.toLowerCase()}` : identity
}
