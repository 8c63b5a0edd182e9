import type { ForgeKind } from '../core/forge-kind.ts'
import { branchPath } from './forge-access.ts'

/** What a page that compares branches is about. */
interface Compared {
  /** Where the forge's pages are, without a slash at the end. */
  webUrl: string
  path: string
  head: string
  /** Null: the branch that the forge takes by itself. */
  base: string | null
}

const COMPARE: Readonly<Record<ForgeKind, (compared: Compared) => string>> = {
  github: ({ webUrl, path, head, base }) =>
    `${webUrl}/${path}/compare/${base === null ? '' : `${branchPath(base)}...`}${branchPath(head)}?expand=1`,
  gitlab({ webUrl, path, head, base }) {
    const query = new URLSearchParams({ 'merge_request[source_branch]': head })
    if (base !== null) query.set('merge_request[target_branch]', base)
    return `${webUrl}/${path}/-/merge_requests/new?${query.toString()}`
  },
  gitea: ({ webUrl, path, head, base }) =>
    `${webUrl}/${path}/compare/${base === null ? '' : `${branchPath(base)}...`}${branchPath(head)}`,
  bitbucket({ webUrl, path, head, base }) {
    const query = new URLSearchParams({ source: head, ...(base === null ? {} : { dest: base }), t: '1' })
    return `${webUrl}/${path}/pull-requests/new?${query.toString()}`
  },
}

/** A line of a file at a commit. */
interface CodeLine {
  commit: string
  /** From the root of the repository. */
  file: string
  line: number
}

const LINE: Readonly<Record<ForgeKind, (at: CodeLine) => string>> = {
  github: ({ commit, file, line }) => `blob/${commit}/${file}#L${line}`,
  gitlab: ({ commit, file, line }) => `-/blob/${commit}/${file}#L${line}`,
  gitea: ({ commit, file, line }) => `src/commit/${commit}/${file}#L${line}`,
  bitbucket: ({ commit, file, line }) => `src/${commit}/${file}#lines-${line}`,
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The page of a forge that shows a line of code. */
export const lineUrl = (
  kind: ForgeKind,
  { webUrl, path, ...at }: Pick<Compared, 'webUrl' | 'path'> & CodeLine,
): string => `${webUrl}/${encoded(path)}/${LINE[kind]({ ...at, file: encoded(at.file) })}`

/** The page of a forge that shows a branch against another one and offers to open a request. */
export const compareUrl = (kind: ForgeKind, compared: Compared): string =>
  COMPARE[kind]({ ...compared, path: encoded(compared.path) })
