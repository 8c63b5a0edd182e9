import type { PageFrame } from './page.ts'

/** Lines that are shown before the one that a link leads to: few, as a page may hold no more than some long lines. */
const LINES_BEFORE = 20

/** The page of a project. */
export const projectPath = ({ prefix }: PageFrame, name: string): string =>
  `${prefix}/ui/projects/${encodeURIComponent(name)}`

/** A path as a part of an address. */
const asAddress = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The page of a file of a project at a commit, at a line where one is given. */
export function fileAddress(
  frame: PageFrame,
  project: string,
  { repository, commit, path, line }: { repository: string; commit: string; path: string; line?: number },
): string {
  const from = line === undefined || line <= LINES_BEFORE ? '' : `?from=${line - LINES_BEFORE}`
  const fragment = line === undefined ? '' : `${from}#L${line}`
  return `${projectPath(frame, project)}/files/${asAddress(repository)}/${commit}/${asAddress(path)}${fragment}`
}
