import type { Static } from 'typebox'
import { CODE_TOOLS } from '../../contract/code-tools.ts'
import { ProjectName } from '../../contract/primitives.ts'
import { Type } from '../../core/type.ts'
import { pathOf, type Caller } from '../caller.ts'
import { defineTool, READS } from '../tool.ts'

const at = {
  project_name: ProjectName,
  ref: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Commit, tag or branch to read the code at; default: the commit that is indexed',
    }),
  ),
}

const {
  search_code: search,
  read_code: read,
  find_definition: definition,
  find_references: references,
  explain_line_history: history,
} = CODE_TOOLS

async function askCode<Answer>(
  question: 'search' | 'read' | 'definitions' | 'references' | 'history',
  { project_name: name, ...body }: { project_name: string },
  { ask }: Caller,
): Promise<Answer> {
  return (await ask({ method: 'POST', path: `${pathOf`/projects/${name}/code`}/${question}`, body })) as Answer
}

/** Lines with their numbers; some are marked. */
function numbered(text: string, firstLine: number, marked: readonly number[] = []): string {
  return text
    .split('\n')
    .map((line, at) => `${marked.includes(firstLine + at) ? '>' : ' '}${String(firstLine + at).padStart(5)}| ${line}`)
    .join('\n')
}

const countOf = ({ data, total, complete }: { data: readonly unknown[]; total: number; complete: boolean }): string =>
  `${data.length} of ${complete ? '' : 'at least '}${total}`

/** Notices of the server hold numbers and words of ours alone. */
const noticed = ({ notice }: { notice: string | null }): string => notice ?? ''

export const searchCode = defineTool({
  name: 'search_code',
  title: 'Search code',
  description:
    'Searches the code of an indexed project by words, names, messages, paths and similarity; what stands in double ' +
    'quotes must be there exactly. Gives places with the lines around them, best first.',
  input: Type.Object({ ...at, ...search.args.properties }, { additionalProperties: false }),
  output: search.answer,
  hints: READS,
  async run(args, caller) {
    const answer = await askCode<Static<typeof search.answer>>('search', args, caller)
    const text = answer.data
      .map(hit => {
        const lines = numbered(hit.snippet, hit.snippet_line, hit.highlighted_lines)
        const differs = hit.differs === true ? ', reads otherwise at this commit' : ''
        return `${hit.path}:${hit.start_line}-${hit.end_line} (${hit.reason}${differs})\n${lines}`
      })
      .join('\n\n')
    const sentences = [`${countOf(answer)} hits.`, noticed(answer)]
    return { data: answer, said: { sentences, quoted: { label: 'code', text } } }
  },
})

export const readCode = defineTool({
  name: 'read_code',
  title: 'Read code',
  description: 'Lines of a file of an indexed project, with their numbers, at the indexed commit or at another one.',
  input: Type.Object({ ...at, ...read.args.properties }, { additionalProperties: false }),
  output: read.answer,
  hints: READS,
  async run(args, caller) {
    const answer = await askCode<Static<typeof read.answer>>('read', args, caller)
    const { path, text, start_line: from, end_line: to, total_lines: total } = answer
    const sentences = [`Lines ${from} to ${to} of ${total}.`, noticed(answer)]
    return { data: answer, said: { sentences, quoted: { label: 'code', text: `${path}\n${numbered(text, from)}` } } }
  },
})

export const findDefinition = defineTool({
  name: 'find_definition',
  title: 'Find definitions',
  description:
    'Where a function, method, class or the like is defined, by its exact name (`average`, `Cart.summary`), with the ' +
    'first lines of each definition.',
  input: Type.Object({ ...at, ...definition.args.properties }, { additionalProperties: false }),
  output: definition.answer,
  hints: READS,
  async run(args, caller) {
    const answer = await askCode<Static<typeof definition.answer>>('definitions', args, caller)
    const text = answer.data
      .map(({ path, kind, container, name, start_line: from, end_line: to, code }) => {
        const called = container === null ? name : `${container}.${name}`
        return `${path}:${from}-${to} ${kind ?? 'by its look'} ${called}\n${numbered(code, from)}`
      })
      .join('\n\n')
    return {
      data: answer,
      said: { sentences: [`${countOf(answer)} definitions.`, noticed(answer)], quoted: { label: 'code', text } },
    }
  },
})

export const findReferences = defineTool({
  name: 'find_references',
  title: 'Find references',
  description:
    'The lines of a project that name something, its definitions among them, each with the function around it.',
  input: Type.Object({ ...at, ...references.args.properties }, { additionalProperties: false }),
  output: references.answer,
  hints: READS,
  async run(args, caller) {
    const answer = await askCode<Static<typeof references.answer>>('references', args, caller)
    const text = answer.data
      .map(({ path, line, text: code, scope, is_definition: defines }) => {
        const where = scope === null ? '' : `  [in ${scope}]`
        return `${path}:${line}: ${code}${where}${defines ? '  [definition]' : ''}`
      })
      .join('\n')
    return {
      data: answer,
      said: { sentences: [`${countOf(answer)} lines.`, noticed(answer)], quoted: { label: 'code', text } },
    }
  },
})

export const explainLineHistory = defineTool({
  name: 'explain_line_history',
  title: 'Explain the history of lines',
  description: 'Who changed these lines of a file when, newest first, with what each commit did to them.',
  input: Type.Object({ ...at, ...history.args.properties }, { additionalProperties: false }),
  output: history.answer,
  hints: READS,
  async run(args, caller) {
    const answer = await askCode<Static<typeof history.answer>>('history', args, caller)
    const text = answer.data
      .map(({ commit, author, date, summary, diff }) => `${commit} ${date} ${author}\n${summary}\n\n${diff}`)
      .join('\n\n')
    return {
      data: answer,
      said: { sentences: [`${countOf(answer)} commits.`, noticed(answer)], quoted: { label: 'history', text } },
    }
  },
})
