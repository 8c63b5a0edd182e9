import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { Count, Nullable, Sha, Timestamp, UncommittedFiles } from './primitives.ts'

/** Tokens of code that a tool answers with when nobody says how many. */
export const DEFAULT_CODE_TOKENS = 4_000
/** The most tokens of code in one answer. */
const MAX_CODE_TOKENS = 50_000

const Offset = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1_000_000, description: '`next_offset` of the page before; default 0' }),
)
const limit = (most: number, usual: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: `How many to give back; default ${usual}` }))
const MaxTokens = Type.Optional(
  Type.Integer({
    minimum: 100,
    maximum: MAX_CODE_TOKENS,
    description: `The most tokens of code in the answer; default ${DEFAULT_CODE_TOKENS}. What is cut says so`,
  }),
)
const Repository = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'Of a project of several repositories: the one that is meant. Default: all, the first that has the path',
  }),
)
const Path = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'A file as the project lists it, from the root of its repository',
  examples: ['src/shop/cart.py'],
})
const Below = Type.Optional(
  Type.String({ minLength: 1, maxLength: 1024, description: 'A file, or a folder with all below it; default: all' }),
)
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'A name as code spells it, alone or with what it belongs to: `average`, `Cart.summary`, `cart::total`',
  examples: ['average'],
})
const Line = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description }))

/** The commit that a question about code is asked of, as routes and tools take it. */
export const CodeRef = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Commit, tag or branch to read the code at; default: the commit that is indexed',
  }),
)

/** What `search_code` takes. */
const SearchCodeArgs = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '\\S',
      description: 'Words, a name, a message, a path; what stands in double quotes must be there exactly',
      examples: ['average price of a cart'],
    }),
    offset: Offset,
    limit: limit(50, 10),
    max_tokens: MaxTokens,
  },
  { additionalProperties: false },
)

/** What `read_code` takes. */
const ReadCodeArgs = Type.Object(
  {
    path: Path,
    repository: Repository,
    start_line: Line('The first line wanted, from 1; default 1'),
    end_line: Line('The last line wanted; default: as many as fit'),
    max_tokens: MaxTokens,
  },
  { additionalProperties: false },
)

/** What `find_definition` takes. */
const FindDefinitionArgs = Type.Object(
  {
    name: Name,
    path: Below,
    repository: Repository,
    offset: Offset,
    limit: limit(50, 10),
    max_tokens: MaxTokens,
  },
  { additionalProperties: false },
)

/** What `find_references` takes. */
const FindReferencesArgs = Type.Object(
  {
    name: Name,
    path: Below,
    repository: Repository,
    offset: Offset,
    limit: limit(200, 50),
    max_tokens: MaxTokens,
  },
  { additionalProperties: false },
)

/** What `explain_line_history` takes. */
const ExplainLineHistoryArgs = Type.Object(
  {
    path: Path,
    repository: Repository,
    start_line: Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'The first line, from 1' }),
    end_line: Line('The last line; default: the first'),
    offset: Offset,
    limit: limit(20, 5),
    max_tokens: MaxTokens,
  },
  { additionalProperties: false },
)

const CodeCommitSchema = Type.Object({ repository: Type.String(), commit: Sha, uncommitted_files: UncommittedFiles })

const Common = {
  commits: Type.Array(CodeCommitSchema, { description: 'The commits that the code is read at' }),
  tokens: { ...Count, description: 'Tokens of the code and the paths in the answer (o200k)' },
  notice: Nullable(Type.String({ description: 'What was cut or left out, and how to have the rest; null: nothing' })),
}
const Paged = {
  total: { ...Count, description: 'How many there are on all pages' },
  complete: Type.Boolean({ description: 'False when there may be more than `total`, as not all was looked through' }),
  offset: Count,
  next_offset: Nullable({ ...Count, description: 'The `offset` of the next page; null: this is the last one' }),
  ...Common,
}
const Place = { repository: Type.String(), path: Type.String() }

/** What `search_code` answers. */
const CodeHitsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      ...Place,
      start_line: Count,
      end_line: Count,
      score: Type.Number({ description: 'Orders the hits of one answer' }),
      reason: Type.Enum(['lexical', 'related', 'similar']),
      snippet: Type.String({ description: 'The lines around the one that holds most of the query' }),
      snippet_line: { ...Count, description: 'The line of the file that the snippet begins with' },
      highlighted_lines: Type.Array(Count),
      differs: Type.Optional(
        Type.Literal(true, {
          description: 'The file reads otherwise at the commit that was asked for; `read_code` shows how',
        }),
      ),
    }),
    { description: 'Best first' },
  ),
  ...Paged,
})

/** What `read_code` answers. */
const CodeLinesSchema = Type.Object({
  ...Place,
  start_line: Count,
  end_line: { ...Count, description: 'The last line that is shown; below `start_line` for an empty file' },
  total_lines: Count,
  text: Type.String({ description: 'The lines without their numbers' }),
  next_line: Nullable({ ...Count, description: 'The `start_line` that goes on; null: all that was wanted is here' }),
  ...Common,
})

/** What `find_definition` answers. */
const DefinitionsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: Nullable(Type.String({ description: '`function`, `class` and the like; null: known by its look alone' })),
      container: Nullable(Type.String({ description: 'What it is defined in, such as its class' })),
      ...Place,
      start_line: Count,
      end_line: Count,
      code: Type.String({ description: 'Its first lines' }),
      code_end_line: { ...Count, description: 'The last line of `code`; below `end_line` where it is cut' },
    }),
  ),
  ...Paged,
})

/** What `find_references` answers. */
const ReferencesSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      ...Place,
      line: Count,
      text: Type.String({ description: 'The line, without what it is indented by' }),
      is_definition: Type.Boolean({ description: 'Whether the line defines the name, as far as its look tells' }),
      scope: Nullable(Type.String({ description: 'The function or class around it; null: none, or not known' })),
    }),
    { description: 'By repository, path and line' },
  ),
  ...Paged,
})

/** What `explain_line_history` answers. */
const LineHistorySchema = Type.Object({
  ...Place,
  start_line: Count,
  end_line: Count,
  status: Type.Enum(['ok', 'shallow_history', 'timed_out'], {
    description: '`shallow_history`: the history is not here yet; `timed_out`: there may be more',
  }),
  data: Type.Array(
    Type.Object({
      commit: Type.String({ description: 'A full commit id, or zeros for what is not committed' }),
      author: Type.String(),
      date: Timestamp,
      summary: Type.String(),
      diff: Type.String({ description: 'What the commit changed of the lines, as a unified diff' }),
    }),
    { description: 'The commits that changed the lines, newest first' },
  ),
  ...Paged,
})

/** The tools by name: what they take, what they give. */
export const CODE_TOOLS = {
  search_code: { args: SearchCodeArgs, answer: CodeHitsSchema },
  read_code: { args: ReadCodeArgs, answer: CodeLinesSchema },
  find_definition: { args: FindDefinitionArgs, answer: DefinitionsSchema },
  find_references: { args: FindReferencesArgs, answer: ReferencesSchema },
  explain_line_history: { args: ExplainLineHistoryArgs, answer: LineHistorySchema },
} as const

/** A tool that reads code. */
export type CodeToolName = keyof typeof CODE_TOOLS
/** Arguments by tool, in the names of JSON. */
export type CodeToolArgs = { [Tool in CodeToolName]: Static<(typeof CODE_TOOLS)[Tool]['args']> }
/** Answers by tool, in the names of JSON. */
export type CodeToolAnswers = { [Tool in CodeToolName]: Static<(typeof CODE_TOOLS)[Tool]['answer']> }
