import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { CallbackUrl, NotifyQuery, NotifySchema, ProjectName, WaitQuery } from './primitives.ts'
import { CloneBodySchema } from './project.ts'

const { branch, ref, include, exclude } = CloneBodySchema.properties
const repository = Type.Optional(
  Type.String({
    ...ProjectName,
    description: 'Which repository of the project it is; default: one that is called as the project',
  }),
)

/** A list in a query: globs separated by commas, as no comma but one in braces is part of a glob. */
const globsInQuery = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 10_000, description, examples: [example] }))

/** The query of `POST /projects/{name}/upload`, whose body is the file. */
export const UploadQuery = Type.Object(
  {
    ...WaitQuery.properties,
    repository,
    branch,
    ref,
    include: globsInQuery('Only files that match one of these globs, separated by commas', 'src/**,lib/**'),
    exclude: globsInQuery('No file that matches one of these globs, separated by commas', '**/generated/**'),
    callback_url: Type.Optional(CallbackUrl),
    notify: Type.Optional(NotifyQuery),
  },
  { additionalProperties: false },
)

/** What the job of an uploaded file keeps. */
export const UploadInputSchema = Type.Object(
  {
    upload: Type.String({ pattern: '^upl_[0-9a-f]{32}$' }),
    project_name: ProjectName,
    repository,
    branch,
    ref,
    include,
    exclude,
    callback_url: Type.Optional(CallbackUrl),
    notify: Type.Optional(NotifySchema),
  },
  { additionalProperties: false },
)

/** What the job of an uploaded file keeps. */
export type UploadInput = Static<typeof UploadInputSchema>
/** What is said of an uploaded file beside its bytes, in the names of JSON. */
export type UploadOptions = Omit<UploadInput, 'upload' | 'project_name'>

/** The globs of a list in a query. */
export function globsIn(list: string): string[] {
  const globs: string[] = []
  let depth = 0
  let start = 0
  for (const [at, character] of [...list].entries()) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (character !== ',' || depth > 0) continue
    globs.push([...list].slice(start, at).join(''))
    start = at + 1
  }
  return [...globs, [...list].slice(start).join('')].filter(glob => glob !== '')
}
