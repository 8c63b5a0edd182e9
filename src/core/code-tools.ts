import type { CodeToolAnswers, CodeToolArgs, CodeToolName } from '../contract/code-tools.ts'
import type { CamelCased } from '../contract/wire.ts'

/** What the tools that read code take, by name. Lines are 1-based and inclusive. */
export type CodeInputs = { [Tool in CodeToolName]: CamelCased<CodeToolArgs[Tool]> }
/** What they give. */
export type CodeAnswers = { [Tool in CodeToolName]: CamelCased<CodeToolAnswers[Tool]> }

/** A repository of a project and the commit that its code is read at. */
export interface PinnedCommit {
  repository: string
  /** The commit that answers name. */
  commit: string
  /** The commit whose files are read: one of ours where changes that are not committed come on top. */
  readAt: string
  uncommittedFiles?: number
}

/** Lines of a file at a commit, whose history is wanted. */
export interface HistoryPlace {
  repository: string
  path: string
  readAt: string
  startLine: number
  endLine: number
}

/** The commits that changed them. */
export type LineCommits = CodeAnswers['explain_line_history']['data']
