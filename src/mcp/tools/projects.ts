import type { Static } from 'typebox'
import { Count, ListQuery, Nullable } from '../../contract/primitives.ts'
import { ProjectSchema, type ProjectAnswer } from '../../contract/project.ts'
import { Type } from '../../core/type.ts'
import type { Caller } from '../caller.ts'
import { fit } from '../fit.ts'
import { defineTool, READS } from '../tool.ts'

const {
  project_name: name,
  index_state: state,
  problem,
  repositories,
  files_indexed: files,
  languages,
} = ProjectSchema.properties
const Row = Type.Object({
  project_name: name,
  index_state: state,
  problem,
  repositories,
  files_indexed: files,
  languages,
})
const Output = Type.Object({
  data: Type.Array(Row),
  next_cursor: Nullable(Type.String({ description: 'The `cursor` of the next page; null: this is the last one' })),
  tokens: { ...Count, description: 'Tokens of this answer (o200k)' },
  cut: Nullable(Type.String({ description: 'What was cut; null: nothing' })),
})

const MAX_TOKENS = 8_000

const rowOf = (project: ProjectAnswer): Static<typeof Row> => ({
  project_name: project.project_name,
  index_state: project.index_state,
  problem: project.problem,
  repositories: project.repositories,
  files_indexed: project.files_indexed,
  languages: project.languages,
})

type Rows = Array<Static<typeof Row>>

/**
 * As many projects as have room, and the cursor of those after them: a page is asked for again, shorter, rather than
 * cut, or the next one would begin after projects that no page shows. A single project is cut.
 */
async function pageWithin(
  limit: number,
  cursor: string | undefined,
  { ask, ...caller }: Caller,
): Promise<{ data: Rows; next: string | null; tokens: number; isCut: boolean }> {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) })
  const page = (await ask({ method: 'GET', path: `/projects?${query}` })) as {
    data: ProjectAnswer[]
    next_cursor: string | null
  }
  const rows = page.data.map(rowOf)
  const { value, tokens, isCut } = await fit({ data: rows, next_cursor: page.next_cursor }, MAX_TOKENS, caller)
  if (value.data.length === rows.length) return { data: value.data, next: page.next_cursor, tokens, isCut }
  if (rows.length > 1) return await pageWithin(Math.max(1, value.data.length), cursor, { ask, ...caller })
  const [row] = rows
  const alone = await fit(row, MAX_TOKENS, caller)
  return {
    data: alone.value === undefined ? [] : [alone.value],
    next: page.next_cursor,
    tokens: alone.tokens,
    isCut: true,
  }
}

export const listProjects = defineTool({
  name: 'list_projects',
  title: 'List projects',
  description: 'The projects that are indexed, newest first, with the state of their index and their repositories.',
  input: Type.Object(
    {
      limit: Type.Optional({ ...ListQuery.limit, maximum: 50, default: 20 }),
      cursor: ListQuery.cursor,
    },
    { additionalProperties: false },
  ),
  output: Output,
  hints: READS,
  async run({ limit = 20, cursor }, caller) {
    const { data, next, tokens, isCut } = await pageWithin(limit, cursor, caller)
    const text = data
      .map(({ project_name: project, index_state: index, files_indexed: count, repositories: all }) => {
        const clones = all.map(({ repository, commit }) => `${repository} at ${commit.slice(0, 12)}`).join(', ')
        return `${project}: ${index}, ${count} files of ${clones}`
      })
      .join('\n')
    const cut = isCut ? `Cut to ${MAX_TOKENS} tokens; a smaller limit shows more of each project.` : null
    const more = next === null ? '' : `There are more: "cursor": "${next}".`
    return {
      data: { data, next_cursor: next, tokens, cut },
      said: {
        sentences: [`${data.length} projects.`, more, cut ?? ''],
        quoted: { label: 'projects', text },
      },
    }
  },
})
