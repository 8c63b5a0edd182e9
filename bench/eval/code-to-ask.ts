// The read-only tools over a project in memory, as the server has them over its index.
import type { CodeAnswers } from '../../src/core/code-tools.ts'
import type { CodeToAsk } from '../../src/pipelines/resolve/investigate/tools.ts'
import type { CommitReader } from '../../src/resolver/code/code-at-commit.ts'
import { askCode, type CodeQuestion } from '../../src/resolver/code-tools/code-tools.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { DEFAULT_CODE_TOKENS } from '../../src/contract/code-tools.ts'
import type { EvalProject } from './project.ts'

/** Everything is in the index: there is no other commit to read. */
const ONLY_THIS: CommitReader = {
  resolveCommit: async () => null,
  listFiles: async () => [],
  readAtCommit: async () => null,
  listOutputs: async () => [],
  listTags: async () => [],
  outlineText: () => null,
  chunkText: () => [],
}

/** The tools for a project; history is not there. */
export function codeToAsk({ reader, embedQuery }: EvalProject): CodeToAsk {
  const commits = reader.manifest.repositories.map(({ repository, commit }) => ({ repository, commit, readAt: commit }))
  async function ask<Tool extends CodeQuestion['tool']>(
    question: CodeQuestion & { tool: Tool },
  ): Promise<CodeAnswers[Tool]> {
    const { maxTokens = DEFAULT_CODE_TOKENS } = question.input
    const deps = { reader, commits: ONLY_THIS, embedQuery }
    const answer = await askCode(question, commits, deps, { maxTokens, countTokens })
    return { ...answer, commits } as unknown as CodeAnswers[Tool]
  }
  return {
    commits,
    searchCode: input => ask({ tool: 'search_code', input }),
    readCode: input => ask({ tool: 'read_code', input }),
    findDefinition: input => ask({ tool: 'find_definition', input }),
    findReferences: input => ask({ tool: 'find_references', input }),
    explainLineHistory() {
      throw new Error('There is no history here.')
    },
  }
}
