import { DEFAULT_CODE_TOKENS } from '../contract/code-tools.ts'
import type { CodeAnswers, CodeInputs, PinnedCommit } from '../core/code-tools.ts'
import { FaultlineError } from '../core/errors.ts'
import type { Projects } from '../indexer/projects.ts'
import type { CodeQuestion, IndexTool } from '../resolver/code-tools/code-tools.ts'
import type { Git } from './git.ts'
import type { ProvideRef } from './refs.ts'
import type { ResolveThreads } from './resolve-threads.ts'

/** As for an answer to a trace: somebody waits. */
const LIMITS = { timeoutMs: 10_000, queueMs: 20_000 }
const SHALLOW =
  'The history of this repository is not here yet; it is fetched in the background. Ask again in a minute.'
const TIMED_OUT = 'Git had no time to go through all of the history: earlier commits may be missing.'

/**
 * A project at commits that stay the same while it is open, whatever is indexed meanwhile. Holds nothing open: it needs
 * no end. Lines are 1-based and inclusive, names are those of our code; `toWire` with the schemas of
 * `contract/code-tools.ts` makes JSON of an answer.
 *
 * Each function throws a FaultlineError: FILE_NOT_FOUND and NAME_NOT_FOUND with what is near; BAD_PATH for one that
 * leads out of the repository; NOT_FOUND for a repository that the project lacks; VALIDATION_FAILED for lines that a
 * file lacks; REF_NOT_FOUND when the commits are gone; OVERLOADED; or the signal's reason.
 */
export interface OpenedCode {
  projectName: string
  commits: readonly PinnedCommit[]
  searchCode(input: CodeInputs['search_code'], signal?: AbortSignal): Promise<CodeAnswers['search_code']>
  readCode(input: CodeInputs['read_code'], signal?: AbortSignal): Promise<CodeAnswers['read_code']>
  findDefinition(input: CodeInputs['find_definition'], signal?: AbortSignal): Promise<CodeAnswers['find_definition']>
  findReferences(input: CodeInputs['find_references'], signal?: AbortSignal): Promise<CodeAnswers['find_references']>
  explainLineHistory(
    input: CodeInputs['explain_line_history'],
    signal?: AbortSignal,
  ): Promise<CodeAnswers['explain_line_history']>
}

/** Read-only tools over the code of projects, for agents. */
export interface CodeTools {
  /**
   * @param at.ref - Commit, tag or branch, which is fetched where no clone has it; default: what is indexed.
   * @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_NOT_READY, REF_NOT_FOUND.
   */
  open(projectName: string, at?: { ref?: string; signal?: AbortSignal }): Promise<OpenedCode>
  /** The first lines of a text that have no more tokens than that. */
  cutToTokens(text: string, maxTokens: number, signal?: AbortSignal): Promise<{ text: string; tokens: number }>
}

interface CodeToolsDeps {
  projects: Pick<Projects, 'needIndex'>
  threads: Pick<ResolveThreads, 'run' | 'runFor'>
  git: Pick<Git, 'readLineLog'>
  provideRef: ProvideRef
}

const shown = (pinned: readonly PinnedCommit[]): CodeAnswers[IndexTool]['commits'] =>
  pinned.map(({ readAt: _readAt, ...commit }) => commit)

/** Opens projects for questions about their code. */
export function createCodeTools({ projects, threads, git, provideRef }: CodeToolsDeps): CodeTools {
  async function pin(projectName: string, ref: string | undefined, signal?: AbortSignal): Promise<PinnedCommit[]> {
    const missing = ref === undefined ? null : await provideRef(projectName, ref, signal)
    try {
      return await threads.runFor(projectName, 'pinCode', { projectName, ref }, { signal, ...LIMITS })
    } catch (error) {
      if (missing === null || !(error instanceof FaultlineError) || error.code !== 'REF_NOT_FOUND') throw error
      throw new FaultlineError(
        'REF_NOT_FOUND',
        `${error.message} Nor could it be fetched: ${missing.reason}.`,
        error.fix,
      )
    }
  }

  function opened(projectName: string, pinned: readonly PinnedCommit[]): OpenedCode {
    const commits = shown(pinned)

    /** The answer to a question is of its tool: the thread tells by it which function answers. */
    async function ask<Tool extends IndexTool>(
      question: CodeQuestion & { tool: Tool },
      signal: AbortSignal | undefined,
    ): Promise<CodeAnswers[Tool]> {
      const { maxTokens = DEFAULT_CODE_TOKENS } = question.input
      const request = { projectName, pinned, question, maxTokens }
      const answer = await threads.runFor(projectName, 'askCode', request, { signal, ...LIMITS })
      return { ...answer, commits } as CodeAnswers[Tool]
    }

    return {
      projectName,
      commits: pinned,
      searchCode: (input, signal) => ask({ tool: 'search_code', input }, signal),
      readCode: (input, signal) => ask({ tool: 'read_code', input }, signal),
      findDefinition: (input, signal) => ask({ tool: 'find_definition', input }, signal),
      findReferences: (input, signal) => ask({ tool: 'find_references', input }, signal),
      async explainLineHistory(input, signal) {
        const request = { projectName, pinned, input }
        const place = await threads.runFor(projectName, 'placeOfHistory', request, { signal, ...LIMITS })
        const { status, commits: found, complete } = await git.readLineLog({ ...place, signal })
        const { offset, limit, maxTokens = DEFAULT_CODE_TOKENS } = input
        const page = await threads.run('pageOfHistory', { found, offset, limit, maxTokens }, { signal, ...LIMITS })
        const said = { ok: null, shallow_history: SHALLOW, timed_out: TIMED_OUT }[status]
        const notice = [page.notice, said].filter(part => part !== null).join(' ')
        const { repository, path, startLine, endLine } = place
        const at = { repository, path, startLine, endLine }
        return { ...at, status, ...page, notice: notice === '' ? null : notice, complete, commits }
      },
    }
  }

  return {
    async open(name, { ref, signal } = {}) {
      const { projectName } = await projects.needIndex(name)
      return opened(projectName, await pin(projectName, ref, signal))
    },
    cutToTokens: (text, maxTokens, signal) => threads.run('cutToTokens', { text, maxTokens }, { signal, ...LIMITS }),
  }
}
