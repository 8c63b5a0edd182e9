import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { MODEL_JOB_FIELDS } from './model-job.ts'
import { ProjectName } from './primitives.ts'
import { EXAMPLE } from './resolution.ts'

const MAX_PROMPT_CHARS = 200_000

const Prompt = Type.String({
  minLength: 1,
  maxLength: MAX_PROMPT_CHARS,
  pattern: '\\S',
  description: 'What is wanted, in words',
})
const Files = (description: string) => Type.Record(Type.String(), Type.String(), { maxProperties: 2000, description })
const Network = Type.Optional(
  Type.Boolean({
    description: 'Whether the program may fetch packages from the registries of npm and pip; default false',
  }),
)

/** The body of `POST /generate`. */
export const GenerateBody = Type.Object(
  {
    prompt: Prompt,
    mode: Type.Optional(
      Type.Enum(['standard', 'lite', 'clarified'], {
        description:
          '`standard` (default); `lite`: the shortest instructions, for small models; `clarified`: the model first ' +
          'asks what is unclear, each question as a waiting job',
      }),
    ),
    files: Type.Optional(
      Files('Content by path: files that the program begins with; the model is shown them and may change them'),
    ),
    execute: Type.Optional(
      Type.Enum(['ask', 'always', 'never'], {
        description: 'Whether the program is run: after a person has seen the script (default), at once, or not',
      }),
    ),
    self_heal: Type.Optional(
      Type.Boolean({ description: 'Run it and mend it until it works, as POST /self-heal does' }),
    ),
    network: Network,
    max_questions: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: 'Of `clarified`; default 10' })),
    ...MODEL_JOB_FIELDS,
  },
  {
    additionalProperties: false,
    examples: [
      {
        prompt: 'A command line program in Python that prints the first 20 Fibonacci numbers, one per line',
        execute: 'always',
      },
    ],
  },
)

const JobId = Type.String({ minLength: 1, maxLength: 64 })
const source = {
  files: Type.Optional(Files('Content by path. Exactly one of files, project_name and job_id')),
  project_name: Type.Optional(ProjectName),
  repository: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Of the project, where it holds several' }),
  ),
  job_id: Type.Optional(Type.String({ ...JobId, description: 'An ended job whose files are taken' })),
}

/** Fields of bodies whose jobs change code. */
const changes = {
  review: Type.Optional(
    Type.Enum(['ask', 'auto'], { description: 'Whether a person is asked about the changes; default `ask`' }),
  ),
  max_refinements: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description:
        'How often the model is asked again, for edits that do not fit and after rejections with a comment; default 3',
    }),
  ),
  allow_partial: Type.Optional(
    Type.Boolean({ description: 'Take what fits, even if not all of it does; default false' }),
  ),
  allow_paths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      maxItems: 200,
      description:
        'Globs of protected files of a project (workflows, lock files, CI configuration, `.npmrc`) that may be changed',
    }),
  ),
  push: Type.Optional(
    Type.Boolean({
      description:
        'Push the branch to the remote; where its forge is known and GIT_TOKENS has a token for it, also open a pull ' +
        'request, or update the open one for the same fault; default false',
    }),
  ),
  draft: Type.Optional(
    Type.Boolean({ description: 'Whether a pull request is opened as a draft, where the forge has any; default true' }),
  ),
}

/** The body of `POST /improve`. */
export const ImproveBody = Type.Object(
  {
    prompt: Prompt,
    ...source,
    select: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        minItems: 1,
        maxItems: 200,
        description:
          'Globs of the files to show the model. Default: all files sent; of a project those that a search for the ' +
          'prompt finds, up to some 20,000 tokens. Files of secrets are left out',
      }),
    ),
    select_toml: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200_000,
        description:
          'gpt-engineer\'s file selection: `[files]` with `"a/b.py" = "selected"`, `[linting]` with `"linting" = ' +
          '"off"`',
      }),
    ),
    lint: Type.Optional(
      Type.Boolean({ description: "Run the project's linter (`checks.lint`) over the files first; default false" }),
    ),
    ...changes,
    ...MODEL_JOB_FIELDS,
  },
  {
    additionalProperties: false,
    examples: [{ prompt: 'Greet in Spanish', files: { 'hello.py': 'print("Hello")\n' }, review: 'auto' }],
  },
)

/** The body of `POST /self-heal`. */
export const SelfHealBody = Type.Object(
  {
    prompt: Type.String({ ...Prompt, description: 'What the program is for' }),
    ...source,
    entrypoint: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'The script that bash runs; default run.sh' }),
    ),
    max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: 'Runs at most; default 10' })),
    timeout_s: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description: 'Of each run; default SANDBOX_TIMEOUT_S' }),
    ),
    network: Network,
    success_exit_codes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
        minItems: 1,
        maxItems: 256,
        description: "Default [0, 2]. 2 with a shell's syntax error or a missing script on stderr is no success",
      }),
    ),
    ready_when: Type.Optional(
      Type.Object(
        {
          port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'The program listens on it' })),
          output: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'It prints this text' })),
        },
        {
          additionalProperties: false,
          minProperties: 1,
          description: 'When a program that does not end counts as working; it is ended then',
        },
      ),
    ),
    ...MODEL_JOB_FIELDS,
  },
  {
    additionalProperties: false,
    examples: [{ prompt: 'Prints 1', files: { 'run.sh': 'python3 main.py\n', 'main.py': 'print(1 / 0 + 1)\n' } }],
  },
)

/** The body of `POST /fix`. */
export const FixBody = Type.Object(
  {
    stacktrace: Type.String({ minLength: 1, maxLength: 10_485_760, description: 'One trace, a chain, or a whole log' }),
    project_name: ProjectName,
    repository: source.repository,
    verify: Type.Optional(
      Type.Object(
        {
          command: Type.String({
            minLength: 1,
            maxLength: 10_000,
            pattern: '\\S',
            description: 'Run by bash at the top of the repository, in the sandbox without a network; 0 is a success',
          }),
        },
        {
          additionalProperties: false,
          description:
            'Run before and after the change, as it is; says whether it helped. Left out: `checks.test` of the project',
        },
      ),
    ),
    reproduce: Type.Optional(
      Type.Boolean({
        description:
          'Whether the model first writes a test, which counts when it fails as the trace says before the fix; it is ' +
          'part of the branch in a commit of its own. Default false',
      }),
    ),
    candidates: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5,
        description:
          'How many answers the model is asked for, each anew and each checked like the only one. The best becomes ' +
          'the change: by exit codes, then fewer warnings, then how many agree, then the smaller diff. Default 1',
      }),
    ),
    ...changes,
    ...MODEL_JOB_FIELDS,
  },
  {
    additionalProperties: false,
    examples: [
      {
        ...EXAMPLE,
        verify: { command: 'python3 -m unittest' },
      },
    ],
  },
)

/** A body as its job keeps it. */
type Kept<Body> = Omit<Body, 'dry_run'>

/** The body of `POST /generate` as its job stores it: without `dry_run`, in the names of JSON. */
export type GenerateInput = Kept<Static<typeof GenerateBody>>
/** The body of `POST /improve` as its job stores it: without `dry_run`, in the names of JSON. */
export type ImproveInput = Kept<Static<typeof ImproveBody>>
/** The body of `POST /self-heal` as its job stores it: without `dry_run`, in the names of JSON. */
export type SelfHealInput = Kept<Static<typeof SelfHealBody>>
/** The body of `POST /fix` as its job stores it: without `dry_run`, in the names of JSON. */
export type FixInput = Kept<Static<typeof FixBody>>
