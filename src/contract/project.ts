import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import type { CamelCased } from './wire.ts'
import {
  CallbackUrl,
  Color,
  Count,
  Counts,
  IndexStateName,
  Milliseconds,
  NotifySchema,
  Nullable,
  ProjectName,
  Sha,
  Timestamp,
  UncommittedFiles,
} from './primitives.ts'

const refName = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }))
const globs = (description: string, example: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100, description, examples: [[example]] }),
  )

/** The body of `POST /clone`. */
export const CloneBodySchema = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'https://…, ssh://… or user@host:path. Also without https://, and the address of a page that a forge shows ' +
          'of it: the branch, tag, commit or pull request of the page is indexed, and of a folder only that, unless ' +
          '`branch`, `ref` or `include` say otherwise',
        examples: ['https://github.com/pallets/flask.git'],
      }),
    ),
    ssh_url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'Another name of `url`; give one of the two' }),
    ),
    branch: refName('Default: the branch that the remote names'),
    project_name: Type.Optional(Type.String({ ...ProjectName, description: 'Default: the name of the repository' })),
    ref: refName('A commit or tag to index instead of the head of the branch'),
    uncommitted: Type.Optional(
      Type.Boolean({
        description:
          "Of a repository on the server's machine: whether its files are indexed as they are in its work tree, with " +
          'what is changed, new or deleted there since the last commit; not together with `branch` or `ref`',
      }),
    ),
    include: globs('Only files that match one of these globs', 'src/**'),
    exclude: globs('No file that matches one of these globs', '**/generated/**'),
    callback_url: Type.Optional(CallbackUrl),
    notify: Type.Optional(NotifySchema),
  },
  { additionalProperties: false, examples: [{ url: 'https://github.com/pallets/flask.git' }] },
)

/** The query of `DELETE /projects/{name}`. */
export const DeleteProjectQuery = Type.Object(
  { purge: Type.Boolean({ default: false, description: 'Whether its jobs and what the audit log says go, too' }) },
  { additionalProperties: false },
)

const PathMappings = Type.Array(
  Type.Object(
    {
      from: Type.String({ minLength: 1, maxLength: 1024, description: 'Beginning of a path as traces print it' }),
      to: Type.String({
        maxLength: 1024,
        pattern: '^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$))',
        description: 'What stands there in the repository; empty for its root',
      }),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
)

const Command = Type.Optional(Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' }))
const Checks = Type.Object(
  { typecheck: Command, lint: Command, test: Command, build: Command, install: Command, deploy: Command },
  {
    additionalProperties: false,
    description:
      'Commands for a shell at the root of the project. They run in the sandbox; `install` alone reaches the ' +
      'package registries, and what it leaves is there for the others. What is left out is as `.faultline.toml` of ' +
      "the default branch says, or else as the project's files suggest",
    examples: [{ install: 'npm ci', lint: 'npx eslint --fix .' }],
  },
)

const Sync = Type.Object(
  {
    every: Type.String({
      pattern: '^[1-9][0-9]{0,6}[smhd]$',
      description: 'How often the remote is asked for new commits, from `1m` to `30d`',
      examples: ['15m'],
    }),
  },
  { additionalProperties: false, description: 'Null: only when it is asked for, or a webhook tells of a push' },
)

const CiComments = Type.Boolean({
  description: 'Whether the pull request that a post of CI names gets a comment with what was found; default true',
})

const AllowedPaths = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  minItems: 1,
  maxItems: 100,
  description:
    'Folders and files that features may change, such as `src/dynamic/`. Null: as `.faultline.toml` of the default ' +
    'branch says, or else `src/dynamic/` and `tests/dynamic/`',
  examples: [['src/dynamic/', 'tests/dynamic/']],
})
const TemplatePath = Type.Optional(Type.String({ minLength: 1, maxLength: 1024 }))
const Features = Type.Object(
  {
    templates: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Folder of the repository with `schema.ts.tpl`, `tool.ts.tpl` and `test.ts.tpl`',
      }),
    ),
    branch_prefix: Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9][\\w./-]*$' })),
    commit_style: Type.Optional(Type.Enum(['conventional', 'plain'])),
    paths: Type.Optional(
      Type.Object(
        { schema: TemplatePath, tool: TemplatePath, test: TemplatePath },
        {
          additionalProperties: false,
          description: 'Where files are made from templates, with `{table}`, `{entity}` or `{tool}` in each',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'How features are built; what is left out is as `.faultline.toml` of the default branch says',
  },
)
const Migrations = Type.Object(
  {
    generate: Command,
    apply: Command,
    rollback: Command,
    folder: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Where `generate` writes, such as `drizzle`' }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Commands for migrations of features. They run in the sandbox; `apply` and `rollback` get a scratch database',
    examples: [{ generate: 'npx drizzle-kit generate', apply: 'npx drizzle-kit migrate', folder: 'drizzle' }],
  },
)
const Notify = Type.Unsafe<Static<typeof NotifySchema>>({
  ...NotifySchema,
  description:
    'When the jobs of the project notify, unless their requests say otherwise; null: as its .faultline.toml says',
})

/** The body of `PATCH /projects/{name}`. */
export const ProjectPatch = Type.Object(
  {
    path_mappings: Type.Optional(PathMappings),
    in_app_exclude: globs("Files whose frames do not count as the project's own", 'third_party/**'),
    checks: Type.Optional(Checks),
    sync: Type.Optional(Nullable(Sync)),
    ci_comments: Type.Optional(CiComments),
    allowed_paths: Type.Optional(Nullable(AllowedPaths)),
    features: Type.Optional(Nullable(Features)),
    migrations: Type.Optional(Nullable(Migrations)),
    deploy_url: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 2048,
          description: 'Gets a signed POST when a feature was approved; its answer is the result of the deployment',
        }),
      ),
    ),
    notify: Type.Optional(Nullable(Notify)),
    callback_url: Type.Optional(
      Nullable(
        Type.String({
          ...CallbackUrl,
          description: "Where the results of the project's jobs go unless their requests say otherwise; null: nowhere",
        }),
      ),
    ),
  },
  { additionalProperties: false, minProperties: 1, examples: [{ path_mappings: [{ from: '/app/', to: 'src/' }] }] },
)

const EmbeddingSchema = Type.Object({ provider: Type.Enum(['local', 'api']), model: Type.String(), dimensions: Count })

/** A project. */
export const ProjectSchema = Type.Object(
  {
    project_name: ProjectName,
    index_state: IndexStateName,
    problem: Nullable(
      Type.Object(
        { detail: Type.String(), fix: Type.String() },
        { description: 'Why files of the project cannot be used, and the call that mends them; null when all is well' },
      ),
    ),
    repositories: Type.Array(
      Type.Object({
        repository: Type.String(),
        url: Type.String(),
        branch: Nullable(Type.String()),
        commit: Sha,
        uncommitted_files: UncommittedFiles,
        history: Type.Enum(['shallow', 'full']),
        indexed_at: Timestamp,
      }),
    ),
    files_indexed: Count,
    files_skipped: Counts,
    chunks_total: Count,
    languages: Counts,
    /** Null while there are no vectors. */
    embedding: Nullable(EmbeddingSchema),
    ann_recall: Nullable(
      Type.Number({ description: 'Measured against exact search; null while it has not been measured' }),
    ),
    search: Type.Union([Type.Enum(['hnsw', 'exact']), Type.Null()], {
      description:
        'How similar code is found: exactly in small projects, and where hnswlib-node is not installed; null while ' +
        'there are no vectors',
    }),
    store_bytes: Count,
    /** The first whose `from` begins a frame's path wins over everything derived. */
    path_mappings: PathMappings,
    in_app_exclude: Type.Array(Type.String()),
    checks: Checks,
    sync: Nullable(Sync),
    ci_comments: CiComments,
    allowed_paths: Nullable(AllowedPaths),
    features: Nullable(Features),
    migrations: Nullable(Migrations),
    deploy_url: Nullable(Type.String()),
    notify: Nullable(Notify),
    callback_url: Nullable(Type.String()),
  },
  { $id: 'Project' },
)

const SearchHitSchema = Type.Object({
  repository: Type.String(),
  path: Type.String(),
  start_line: Count,
  end_line: Count,
  score: Type.Number({ description: 'Orders the hits of one answer; comparable with no other.' }),
  reason: Type.Enum(['lexical', 'related', 'similar'], {
    description:
      'What speaks most for it: words or quoted text that it or its path holds, a name of the query that its file ' +
      'defines, similarity.',
  }),
  snippet: Type.String({ description: 'The lines around the one that holds most of the query.' }),
  snippet_line: { ...Count, description: 'Line of the file that the snippet begins with.' },
  /** Numbered as in the file. */
  highlighted_lines: Type.Array(Count, {
    description: 'Lines of the snippet that hold telling words of the query, or else what it quotes.',
  }),
})

/** The answer of `GET /projects/{name}/search`. */
export const SearchAnswerSchema = Type.Object({
  data: Type.Array(SearchHitSchema, {
    description:
      'Best first. A file counts with its best place; its further places count half of that, so other files mostly ' +
      'come between.',
  }),
  complete: Type.Boolean({
    description:
      'False when a quoted text is looked for that has no word to go by and the project is too large to read all ' +
      'of it: there may be more hits.',
  }),
  uncommitted_files: UncommittedFiles,
  notice: Type.Optional(
    Type.String({ description: 'That similar code could not be looked for, as the embedding service did not answer' }),
  ),
})

/** The query of `GET /projects/{name}/search`. */
export const SearchQuery = Type.Object(
  {
    q: Type.String({ minLength: 1, maxLength: 2000, examples: ['parse price'] }),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
    color: Color,
  },
  { additionalProperties: false },
)

/** The result of a clone job. */
export const CloneResultSchema = Type.Object({
  project_name: ProjectName,
  repository: Type.String(),
  branch: Nullable(Type.String()),
  commit: Sha,
  uncommitted_files: UncommittedFiles,
  history: Type.Enum(['shallow', 'full']),
  files_indexed: Count,
  files_skipped: Counts,
  chunks_added: Count,
  chunks_removed: Count,
  chunks_total: Count,
  languages: Counts,
  embedding: EmbeddingSchema,
  timings_ms: Type.Object({
    clone: Milliseconds,
    read: Milliseconds,
    chunk: Milliseconds,
    embed: Milliseconds,
    store: Milliseconds,
    total: Milliseconds,
  }),
})

/** The body of `POST /clone` as it was sent, with its address under either name. */
export type CloneBody = Static<typeof CloneBodySchema>
/** The body with what its job needs: one address under one name, and the name of the project. */
export type CloneInput = Omit<CloneBody, 'ssh_url' | 'url' | 'project_name'> & { url: string; project_name: string }
/** `CloneResult` in the names of JSON: `result` of a clone job. */
export type CloneAnswer = Static<typeof CloneResultSchema>
/** What the clone pipeline returns. Counts of chunks are those of this repository, not of the whole project. */
export type CloneResult = CamelCased<CloneAnswer>
/** A project in the names of JSON: what its index holds, and its settings. */
export type ProjectAnswer = Static<typeof ProjectSchema>
/** Hits of a search in the names of JSON, best first; lines are 1-based and inclusive. */
export type SearchAnswer = Static<typeof SearchAnswerSchema>
