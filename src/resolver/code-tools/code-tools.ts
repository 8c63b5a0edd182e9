import type { CodeAnswers, CodeInputs, PinnedCommit } from '../../core/code-tools.ts'
import type { CommitReader } from '../code/code-at-commit.ts'
import type { CodeReader } from '../code/code-reader.ts'
import type { EmbedQuery } from '../ranking/rankers/dense.ts'
import { openView } from './code-view.ts'
import { findDefinition } from './find-definition.ts'
import { findReferences } from './find-references.ts'
import type { Budget } from './page.ts'
import { readCode } from './read-code.ts'
import { searchInView } from './search-in-view.ts'

/** The tools that read the index of a project; the history of lines is in its clone. */
export type IndexTool = Exclude<keyof CodeAnswers, 'explain_line_history'>

/** A question about the code of a project. */
export type CodeQuestion = { [Tool in IndexTool]: { tool: Tool; input: CodeInputs[Tool] } }[IndexTool]

/** What an answer says beside the commits it is of. */
type WithoutCommits<Answer> = Omit<Answer, 'commits'>

interface CodeToolDeps {
  reader: CodeReader
  commits: CommitReader
  embedQuery: EmbedQuery
}

/**
 * Answers a question about a project at the commits of a pin. Reads the open index and, for files that are otherwise
 * there, the clone; never the disk by a path of the question, and never the network.
 *
 * @throws {FaultlineError} FILE_NOT_FOUND, NAME_NOT_FOUND, BAD_PATH, NOT_FOUND, VALIDATION_FAILED, REF_NOT_FOUND.
 */
export async function askCode(
  { tool, input }: CodeQuestion,
  pinned: readonly PinnedCommit[],
  { reader, commits, embedQuery }: CodeToolDeps,
  budget: Budget,
): Promise<WithoutCommits<CodeAnswers[IndexTool]>> {
  const view = await openView(pinned, reader, commits)
  const code = { view, reader, embedQuery }
  switch (tool) {
    case 'search_code':
      return await searchInView(input, code, budget)
    case 'read_code':
      return await readCode(input, view, budget)
    case 'find_definition':
      return await findDefinition(input, code, budget)
    case 'find_references':
      return await findReferences(input, code, budget)
  }
}
