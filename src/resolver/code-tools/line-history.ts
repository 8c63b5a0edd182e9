import type { CodeInputs, HistoryPlace, LineCommits } from '../../core/code-tools.ts'
import type { CodeView } from './code-view.ts'
import { firstLines, pageOf, type Budget, type Page } from './page.ts'
import { openFile, rangeIn } from './read-code.ts'

const DEFAULT_LIMIT = 5

/**
 * The place whose history is asked for, checked against the file.
 *
 * @throws {FaultlineError} FILE_NOT_FOUND, BAD_PATH, NOT_FOUND, VALIDATION_FAILED.
 */
export async function historyPlace(input: CodeInputs['explain_line_history'], view: CodeView): Promise<HistoryPlace> {
  const file = await openFile(input, view)
  const { repository, path } = file
  const readAt = view.commits.find(one => one.repository === repository)?.readAt ?? ''
  const range = rangeIn(file, { startLine: input.startLine, endLine: input.endLine ?? input.startLine })
  return { repository, path, readAt, ...range }
}

/** A page of the commits that changed lines. */
export function pageOfCommits(
  commits: LineCommits,
  { offset = 0, limit = DEFAULT_LIMIT }: { offset?: number; limit?: number },
  budget: Budget,
): Promise<Page<LineCommits[number]>> {
  return pageOf(
    commits,
    { offset, limit },
    {
      show: commit => commit,
      textOf: ({ summary, author, diff }) => `${summary}\n${author}\n${diff}`,
      cut: (commit, maxTokens) => ({ ...commit, diff: firstLines(commit.diff, { ...budget, maxTokens }) }),
    },
    budget,
  )
}
