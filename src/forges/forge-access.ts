import type { PullRequest } from './forge.ts'
import type { ForgeHttp } from './forge-http.ts'

/** The path of a repository, as `owner/name`; with GitLab `group/subgroup/name`. */
export interface ForgeAccess {
  http: ForgeHttp
  path: string
}

/** Parts of a path in an address, encoded. */
export const urlPath = (...parts: ReadonlyArray<string | number>): string =>
  parts.map(part => `/${encodeURIComponent(String(part))}`).join('')

/** A branch in an address: its slashes stay. */
export const branchPath = (branch: string): string => branch.split('/').map(encodeURIComponent).join('/')

/** Owner and name of a repository. */
export function ownerAndName(path: string): { owner: string; name: string } {
  const at = path.lastIndexOf('/')
  return { owner: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) }
}

/** Branches of ours begin so; a request from any other is a person's, whatever they copied into its text. */
const OWN_BRANCHES = 'faultline/'

/** Whether a request is one that we opened for what a word stands for. */
export const isMarkedWith =
  (word: string) =>
  ({ head, body, isOwn }: PullRequest): boolean =>
    isOwn && head.startsWith(OWN_BRANCHES) && body.includes(word)

/** What is not found in them is written a second time. */
const MAX_PAGES = 20

/** The entries of the first pages of a list. */
export async function readPages<One>(
  read: (page: number) => Promise<{ entries: readonly One[]; isLast: boolean }>,
): Promise<One[]> {
  const all: One[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { entries, isLast } = await read(page)
    all.push(...entries)
    if (isLast) break
  }
  return all
}

/** The same where a page that is not full is the last one. */
export const pagesOf = <One>(perPage: number, read: (page: number) => Promise<readonly One[]>): Promise<One[]> =>
  readPages(async page => {
    const entries = await read(page)
    return { entries, isLast: entries.length < perPage }
  })
