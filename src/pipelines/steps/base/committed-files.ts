import { createHash } from 'node:crypto'
import { isSecretName } from '../../../core/file-names.ts'
import { RecentlyUsed } from '../../../core/recently-used.ts'
import type { CommitOfClone, CommitReader, CommittedFile } from '../../../repos/objects/commit-reader.ts'
import type { BaseFiles } from './base-files.ts'

/** What git gives of a commit. */
export type CommitAccess = Pick<CommitReader, 'listFiles' | 'readTexts' | 'checkout' | 'checkPatch'>

/** The files of a commit, as a base that knows what may be written. */
export interface CommittedFiles extends BaseFiles {
  /** The size in bytes of each of `paths`, in the same order. */
  sizes(): Promise<ReadonlyMap<string, number>>
  /** Texts of several of `paths` by one process, in this order; what `read` has no text of is left out. */
  readAll(paths: readonly string[]): Promise<Map<string, string>>
  /** Why a file cannot be written, whoever asks for it; null where it can. */
  whyNot(path: string): Promise<string | null>
  /** Whether the bytes are not those of the commit's file; false for a path that is none of `paths`. */
  differs(path: string, bytes: Uint8Array): Promise<boolean>
}

/** Larger ones are made, not written. */
const MAX_TEXT_BYTES = 1_048_576
/** What is read at once: texts are asked for one after the other, and each reading is a process. */
const READ_AHEAD_BYTES = 1_048_576
const READ_AHEAD_FILES = 500
const KEPT_CHARS = 16_777_216

interface Listing {
  byPath: Map<string, CommittedFile>
  shown: string[]
  places: Map<string, number>
  others: Set<string>
  folders: Set<string>
}

const isThere = <T>(value: T | undefined): value is T => value !== undefined

const hasText = (entry: [string, string | null]): entry is [string, string] => entry[1] !== null

function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at))
  return parents
}

/**
 * The files of a commit, as a job's base. Files of secrets are there for programs, but `paths` has them not.
 *
 * @param isAllowed - Files of secrets that are to be seen all the same.
 */
export function committedFiles(
  git: CommitAccess,
  { repository, commit }: CommitOfClone,
  { isAllowed = () => false }: { isAllowed?: (path: string) => boolean } = {},
): CommittedFiles {
  const at = { repository, commit }
  const texts = new RecentlyUsed<string, { text: string | null }>(KEPT_CHARS, ({ text }) => text?.length ?? 1)
  let listing: Promise<Listing> | null = null

  async function load(): Promise<Listing> {
    const { files, others } = await git.listFiles(at)
    const byPath = new Map(files.map(file => [file.path, file]))
    const shown = [...byPath.keys()].filter(path => !isSecretName(path) || isAllowed(path)).sort()
    return {
      byPath,
      shown,
      places: new Map(shown.map((path, place) => [path, place])),
      others: new Set(others),
      folders: new Set([...byPath.keys(), ...others].flatMap(parentsOf)),
    }
  }

  function list(): Promise<Listing> {
    listing ??= load()
    return listing
  }

  /** With the files after it, as whoever reads one reads the next. */
  async function readFrom(file: CommittedFile, { byPath, shown, places }: Listing): Promise<string | null> {
    const wanted = [file]
    let bytes = file.size
    for (const path of shown.slice((places.get(file.path) ?? shown.length) + 1)) {
      const next = byPath.get(path)
      if (next === undefined || wanted.length >= READ_AHEAD_FILES || bytes + next.size > READ_AHEAD_BYTES) break
      bytes += next.size
      wanted.push(next)
    }
    const read = await git.readTexts({ repository, oids: wanted.map(({ oid }) => oid) })
    for (const [place, { path }] of wanted.entries()) texts.set(path, { text: read[place] ?? null })
    return read[0] ?? null
  }

  async function read(path: string): Promise<string | null> {
    const known = texts.find(path)
    if (known !== undefined) return known.text
    const found = await list()
    const file = found.byPath.get(path)
    return file === undefined || file.size > MAX_TEXT_BYTES ? null : readFrom(file, found)
  }

  async function readAll(wanted: readonly string[]): Promise<Map<string, string>> {
    const { byPath, places } = await list()
    const files = wanted.flatMap(path => (places.has(path) ? [byPath.get(path)] : [])).filter(isThere)
    const known = new Map(files.map(({ path }) => [path, texts.find(path)]))
    const missing = files.filter(({ path, size }) => known.get(path) === undefined && size <= MAX_TEXT_BYTES)
    const oids = missing.map(({ oid }) => oid)
    const read = oids.length === 0 ? [] : await git.readTexts({ repository, oids })
    for (const [place, { path }] of missing.entries()) {
      const text = { text: read[place] ?? null }
      texts.set(path, text)
      known.set(path, text)
    }
    return new Map(
      Array.from(known, ([path, found]): [string, string | null] => [path, found?.text ?? null]).filter(hasText),
    )
  }

  return {
    commit,
    read,
    readAll,
    async sizes() {
      const { byPath, shown } = await list()
      return new Map(shown.map(path => [path, byPath.get(path)?.size ?? 0]))
    },
    paths: async () => (await list()).shown,
    place: (dir, without) => git.checkout({ ...at, dir, without: [...without] }),
    whyDiffFails: diff => (diff === '' ? Promise.resolve(null) : git.checkPatch({ ...at, patch: diff })),
    async whyNot(path) {
      const { byPath, others, folders } = await list()
      if (isSecretName(path) && !isAllowed(path)) return `${path} is a file of secrets.`
      if (folders.has(path)) return `${path} is a folder.`
      const blocking = [...parentsOf(path), path].find(one => others.has(one) || (one !== path && byPath.has(one)))
      if (blocking !== undefined) {
        return others.has(blocking)
          ? `${blocking} is a link, a submodule or no plain file of the repository.`
          : `${blocking} is a file, no folder.`
      }
      return byPath.has(path) && (await read(path)) === null
        ? `${path} is no text that can be changed by a diff.`
        : null
    },
    async differs(path, bytes) {
      const { byPath, places } = await list()
      const file = byPath.get(path)
      return (
        file !== undefined &&
        places.has(path) &&
        createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') !== file.oid
      )
    },
  }
}
