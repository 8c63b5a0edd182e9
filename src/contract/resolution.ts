import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { DryRunFlag } from './dry-run.ts'
import { BudgetSchema, UsageSchema } from './job.ts'
import {
  Color,
  Count,
  IndexStateName,
  JobCallbackUrl,
  Milliseconds,
  NOTIFY_DESCRIPTION,
  NotifyQuery,
  NotifySchema,
  Nullable,
  ProjectName,
  Timestamp,
  UncommittedFiles,
} from './primitives.ts'
import { toWire, type CamelCased } from './wire.ts'

const Line = Type.Integer({ minimum: 0 })
const NullableText = Nullable(Type.String())
const NullableLine = Nullable(Line)

const resolveOptions = {
  project_name: ProjectName,
  mode: Type.Optional(Type.Enum(['answer', 'context'], { description: '`context` calls no model; default `answer`' })),
  max_context_tokens: Type.Optional(
    Type.Integer({ minimum: 200, maximum: 150_000, description: 'Limit of `context`, default 16000' }),
  ),
  detail: Type.Optional(
    Type.Enum(['short', 'full'], {
      description:
        '`short`, the default: the likely places only, other files by name; ' +
        'the failing frame and its nearest callers in the project, others counted. ' +
        '`full`: every frame, and `context` filled up to `max_context_tokens`',
    }),
  ),
  ref: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Commit, tag or branch to read the code at; fetched from the remote when the clone lacks it, in up to 20 s',
    }),
  ),
  exception: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'Index of the exception to answer about; default: the last root',
    }),
  ),
  locale: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$',
      description: 'Language of the answer, default `en`',
    }),
  ),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  investigate: Type.Optional(
    Type.Boolean({
      description:
        'Makes a job in which the model may look around in the code before it answers: it searches, reads, follows ' +
        'definitions and references, and asks who changed lines when. Read only. Needs a model',
    }),
  ),
  max_steps: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      description:
        'With `investigate`: how often the model may look at something, default 12. It also ends near the limits of ' +
        '`budget`, after 400,000 tokens and after 600 s unless `budget` says otherwise; then it answers from what it ' +
        'has seen',
    }),
  ),
  callback_url: Type.Optional(JobCallbackUrl),
  notify: Type.Optional(
    Type.Unsafe<Static<typeof NotifySchema>>({
      ...NotifySchema,
      description: `With \`Prefer: respond-async\`: ${NOTIFY_DESCRIPTION}`,
    }),
  ),
  dry_run: DryRunFlag,
}

/** A project and its trace: together with the example of POST /clone it works as it stands. */
export const EXAMPLE = {
  project_name: 'flask',
  stacktrace:
    'Traceback (most recent call last):\n' +
    '  File "/usr/lib/python3/site-packages/flask/app.py", line 1016, in full_dispatch_request\n' +
    '    rv = self.dispatch_request(ctx)\n' +
    '  File "/usr/lib/python3/site-packages/flask/app.py", line 990, in dispatch_request\n' +
    '    return self.ensure_sync(self.view_functions[rule.endpoint])(**view_args)  # type: ignore[no-any-return]\n' +
    "TypeError: index() got an unexpected keyword argument 'user'",
}

const StackTrace = Type.String({
  minLength: 1,
  maxLength: 10_485_760,
  description: 'One trace, a chain, or a whole log',
  examples: [EXAMPLE.stacktrace],
})

/** The body of `POST /resolve`. */
export const ResolveBodySchema = Type.Object(
  { stacktrace: StackTrace, ...resolveOptions, budget: Type.Optional(BudgetSchema) },
  { additionalProperties: false, examples: [EXAMPLE] },
)

/** The same with the trace as the text/plain body: everything else is in the query, but for the budget. */
export const ResolveQuery = Type.Object(
  {
    ...resolveOptions,
    project_name: Type.Optional(
      Type.String({ maxLength: 64, description: 'Of a text/plain body; with a JSON body it belongs there' }),
    ), // without an example, which Swagger UI would send along
    notify: Type.Optional(NotifyQuery),
    color: Color,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        description: 'With `Prefer: respond-async`: seconds to hold the answer',
      }),
    ),
  },
  { additionalProperties: false },
)

/** A frame, with the file that it was mapped to. */
export const FrameSchema = Type.Object({
  index: Count,
  /** Index of the exception that the frame belongs to. */
  exception: Count,
  raw: Type.String(),
  /** As printed: absolute, relative, a URL or a bare name; null when the runtime printed none. */
  file: NullableText,
  line: NullableLine,
  column: NullableLine,
  function: NullableText,
  /** How many times in a row the frame stood there (recursion is collapsed). */
  repeat: Count,
  in_project: Type.Boolean(),
  repository: NullableText,
  path: NullableText,
  /** Line of the frame's code in the commit read; null when unknown. */
  code_line: NullableLine,
  /** How the file was found; `none` where it was not. */
  match: Type.Enum(['override', 'exact', 'suffix', 'source_map', 'package', 'symbol', 'basename', 'none']),
  /** A sentence for a person: which rule matched, or why none did. */
  why: Type.String(),
  candidates: Type.Array(Type.String()),
})

const ExceptionsSchema = Type.Array(
  Type.Object({
    index: Count,
    type: NullableText,
    message: NullableText,
    language: NullableText,
    chain: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Exceptions of one failure (an error, its causes, the members of a group) share this number; missing in ' +
          'answers that an earlier release kept',
      }),
    ),
    /** How it came to be in the text. */
    relation: Type.Enum(['root', 'cause', 'context', 'suppressed', 'grouped', 'separate']),
    fingerprint: Nullable(
      Type.String({
        description:
          'The same for the same fault of a project, whatever the lines, path prefixes and values. Made of the ' +
          "project's own frames and their files, so null where no project was asked (POST /parse)",
      }),
    ),
    /** How many identical copies of it the text held. */
    count: Count,
  }),
)

const FramesSchema = Type.Array(FrameSchema, {
  description: 'Outermost call first; of more than 1000 the first and last 500',
})

/** The body of `POST /parse`. */
export const ParseBody = Type.Object(
  { stacktrace: StackTrace },
  { additionalProperties: false, examples: [{ stacktrace: EXAMPLE.stacktrace }] },
)

/** The answer of `POST /parse`. */
export const ParsedSchema = Type.Object({ exceptions: ExceptionsSchema, frames: FramesSchema, frames_total: Count })

const ReasonSchema = Type.Enum(['frame', 'related', 'similar', 'lexical', 'history', 'investigated'], {
  description: '`investigated`: the model asked for it (`investigate`)',
})

/** The fields of a resolution that the index gives. */
const found = {
  project_name: ProjectName,
  /** Commit of the repository that the frames point into (the first repository when they point nowhere). */
  commit: Type.String(),
  uncommitted_files: UncommittedFiles,
  index_state: IndexStateName,
  exceptions: ExceptionsSchema,
  frames: FramesSchema,
  /** Frames of the trace; `frames` holds only both ends of a very long one. */
  frames_total: Count,
  /** How many frames a short answer leaves out: those outside of the project, and far callers. */
  frames_omitted: Type.Optional(Count),
  notice: Type.Optional(
    Type.String({
      description:
        'That the text held no fault and what to post instead, that no file stands out and the order of the ' +
        'sources is to be doubted, or that the code is not read at the commit that CI named, and why',
    }),
  ),
  sources: Type.Array(
    Type.Object({
      repository: Type.String(),
      path: Type.String(),
      start_line: Line,
      end_line: Line,
      symbol: NullableText,
      /** Null, as `total_chunks`, for an extract that is not a whole chunk. */
      chunk_index: NullableLine,
      total_chunks: NullableLine,
      highlighted_lines: Type.Array(Line),
      reason: ReasonSchema,
      why: Type.String(),
      score: Type.Number(),
      tokens: Count,
    }),
  ),
  context: Type.String(),
  context_tokens: Count,
  tokenizer: Type.String(),
  /** Sources that there was no room for in the context; in a short answer the paths of further files alone. */
  dropped: Type.Union([
    Type.Array(
      Type.Object({
        repository: Type.String(),
        path: Type.String(),
        start_line: Line,
        end_line: Line,
        reason: ReasonSchema,
        score: Type.Number(),
        tokens: Count,
      }),
    ),
    Type.Array(Type.String()),
  ]),
}

const suspects = {
  suspect_commits: Type.Array(
    Type.Object({
      commit: Type.String({ description: 'Forty zeros, as `git blame` has it, for changes that are not committed' }),
      author: Type.String(),
      date: Timestamp,
      summary: Type.String(),
      path: Type.String(),
      lines: Type.Array(Line),
      score: Type.Number(),
      why: Type.String(),
    }),
  ),
  suspects_status: Type.Enum(['ok', 'shallow_history', 'timed_out', 'pending'], {
    description:
      'Why there may be fewer of them than there are, or none: the history of the clone was not fetched yet, the ' +
      'time was up, or git is still at work on it. What is `pending` follows as the event `suspects` of a job or of ' +
      'an event stream; the same request a moment later gets it, too. After `timed_out` nothing follows: git took ' +
      'too long, or too many searches wait for it, and the same request asks again later',
  }),
  changed_since: Type.Optional(
    Type.Array(
      Type.Object({
        commit: Type.String(),
        date: Timestamp,
        summary: Type.String(),
        path: Type.String({ description: 'At the commit read, whatever the file is called by now' }),
        lines: Type.Array(Line, {
          description: 'What it changed, in lines of the commit read; of an added line the one that it stands before',
        }),
      }),
      {
        description:
          'Later commits, up to the indexed one, that changed the functions of the nearest frames; the newest first. ' +
          'There only where the code is read at an earlier commit (`ref`, `commit` of a CI post, a version that the ' +
          'text names) and its history is there. Comes with the suspects',
      },
    ),
  ),
  failing_line_gone: Type.Optional(
    Type.Boolean({
      description: 'With `changed_since`: the failing line is not there any more at the indexed commit: already fixed?',
    }),
  ),
}

const answer = {
  answer: Nullable(
    Type.Object({
      text: Type.String(),
      explanation: Type.String(),
      fix: Type.String(),
      patch: NullableText,
      /** `applies`, `none`, or `rejected: ` and the reason. */
      patch_status: Type.String(),
    }),
  ),
  answer_status: Type.Enum(['ok', 'not_requested', 'not_configured', 'failed']),
  answer_error: Nullable(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'With `ok`: why the answer is not whole' },
    ),
  ),
  /** The model that answered, or that was asked in vain; null when none was asked. */
  model: NullableText,
  redactions: Type.Optional(Type.Integer({ minimum: 0, description: 'Secrets replaced in what the model was sent' })),
  usage: UsageSchema,
  cached: Type.Optional(
    Type.Boolean({ description: '`true`: this is the answer to an equal question before; no model was asked' }),
  ),
  timings_ms: Type.Object({
    parse: Milliseconds,
    map: Milliseconds,
    retrieve: Milliseconds,
    context: Milliseconds,
    llm: Milliseconds,
    total: Milliseconds,
  }),
}

const investigation = {
  investigation: Type.Optional(
    Type.Object(
      {
        steps: Type.Array(
          Type.Object({
            step: Type.Integer({ minimum: 1 }),
            tool: Type.String({ description: 'As the model named it' }),
            arguments: Type.String({ description: 'JSON as the model wrote it, long ones cut' }),
            outcome: Type.Enum(['found', 'nothing', 'repeated', 'refused'], {
              description:
                '`nothing`: there is no such thing; `repeated`: asked before, and answered from that; `refused`: not ' +
                'carried out',
            }),
            summary: Type.String({ description: 'What came of it, or why it was refused' }),
            tokens: { ...Count, description: 'Of what the model was shown' },
          }),
        ),
        model_calls: Count,
        asked_by: Type.Enum(['tool_calls', 'json'], { description: 'How the model asked; `json`: it calls no tools' }),
        ended_by: Type.Enum(['answer', 'max_steps', 'tokens', 'seconds', 'budget', 'context', 'error'], {
          description: 'Why it stopped looking: `answer`: it wanted to know nothing more; else the limit that it met',
        }),
      },
      { description: 'With `investigate`: what the model looked at before it answered, in order' },
    ),
  ),
  citations: Type.Optional(
    Type.Array(
      Type.Object({
        text: Type.String({ description: 'As the answer has it' }),
        kind: Type.Enum(['file', 'line', 'name']),
        path: NullableText,
        line: NullableLine,
        exists: Type.Boolean(),
        why: Type.String({ description: 'Where it was found, or what is missing' }),
      }),
      {
        description:
          'With `investigate`: the files, lines and names that the answer cites, each looked up at the commit read. ' +
          'What is not there is marked in the answer, too',
      },
    ),
  ),
}

const id = { id: Type.String() }

const origin = {
  origin: Type.Optional(
    Type.Enum(['introduced', 'existing', 'flaky', 'infrastructure', 'unknown'], {
      description: 'Of a fault in a log that CI sent: where it comes from; docs/ci.md has the rules',
    }),
  ),
  origin_why: Type.Optional(Type.String({ description: 'One sentence with the evidence' })),
}

/** The fields of a resolution that the index gives. */
export const FoundSchema = Type.Object(found)
/** The `located` event: everything of a resolution but the answer. */
export const SuspectsSchema = Type.Object({ ...id, ...suspects })
export const LocatedSchema = Type.Object({ ...id, ...found, ...suspects })
/** What follows on the id and what was found. */
export const OutcomeSchema = Type.Object({ ...suspects, ...answer, ...investigation })
/** The answer of `POST /resolve`. */
export const ResolutionSchema = Type.Object({ ...id, ...found, ...suspects, ...answer, ...investigation, ...origin })

/** The body of `POST /resolve`, also when trace and options came as plain text and query. */
export type ResolveBody = Static<typeof ResolveBodySchema>
/** The body of a request that is to be carried out. */
export type ResolveInput = Omit<ResolveBody, 'dry_run'>
/**
 * A frame in the names of JSON: `line` is 1-based, from the trace; `code_line` is the line in the commit that was read.
 */
export type FrameAnswer = Static<typeof FrameSchema>
/** The answer of `POST /parse`, where fields that need a project are null or empty. */
export type ParseAnswer = Static<typeof ParsedSchema>
/** The data of the `located` event, which a client gets before the model has answered. */
export type LocatedAnswer = Static<typeof LocatedSchema>
/** The answer of `POST /resolve`; the result of a resolve job is an array of these. */
export type ResolutionAnswer = Static<typeof ResolutionSchema>
/** Suspects that came after their answer. */
export type SuspectsAnswer = Static<typeof SuspectsSchema>

/** The fields of a frame that only a project gives. */
type Mapping = 'inProject' | 'repository' | 'path' | 'codeLine' | 'match' | 'why' | 'candidates'

/** A frame as the text alone gives it, in camelCase. */
export type PrintedFrame = Omit<CamelCased<FrameAnswer>, Mapping>

/** An exception as the text alone gives it, in camelCase: a fingerprint needs the files of a project. */
export type PrintedException = Omit<CamelCased<ParseAnswer>['exceptions'][number], 'fingerprint'>

interface Parsed {
  exceptions: PrintedException[]
  frames: PrintedFrame[]
  framesTotal: number
}

/** The answer of `POST /parse`: nothing was compared with a project, so `path` and its like are null. */
export function toWireParsed({ exceptions, frames, framesTotal }: Parsed): ParseAnswer {
  const unmapped = {
    inProject: false,
    repository: null,
    path: null,
    codeLine: null,
    match: 'none' as const,
    why: 'no project was asked',
    candidates: [],
  }
  return toWire(ParsedSchema, {
    exceptions: exceptions.map(exception => ({ ...exception, fingerprint: null })),
    frames: frames.map(frame => ({ ...frame, ...unmapped })),
    framesTotal,
  })
}
