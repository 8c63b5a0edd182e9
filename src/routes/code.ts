import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { CodeRef, CODE_TOOLS } from '../contract/code-tools.ts'
import { ProjectName } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import { fromWire, toWire } from '../contract/wire.ts'
import { projectOfPath } from '../http/needs-index.ts'

const ProjectParams = Type.Object({ name: ProjectName })

const {
  search_code: search,
  read_code: read,
  find_definition: definition,
  find_references: references,
  explain_line_history: history,
} = CODE_TOOLS

const SearchBody = Type.Object({ ...search.args.properties, ref: CodeRef }, { additionalProperties: false })
const ReadBody = Type.Object({ ...read.args.properties, ref: CodeRef }, { additionalProperties: false })
const DefinitionBody = Type.Object({ ...definition.args.properties, ref: CodeRef }, { additionalProperties: false })
const ReferencesBody = Type.Object({ ...references.args.properties, ref: CodeRef }, { additionalProperties: false })
const HistoryBody = Type.Object({ ...history.args.properties, ref: CodeRef }, { additionalProperties: false })

const common = { tags: ['Code'], params: ProjectParams }
const failures = problems(400, 401, 404, 409, 415, 429, 503)

/** Read-only questions about the code of a project, as agents ask them. */
const codeRoutes: FastifyPluginAsyncTypebox = async app => {
  const { codeTools } = app.services
  const config = { needsIndexOf: projectOfPath }

  app.post(
    '/projects/:name/code/search',
    {
      config,
      schema: {
        ...common,
        operationId: 'searchCode',
        summary: 'Search the code of a project, in pages and within a limit of tokens',
        body: SearchBody,
        response: { 200: search.answer, ...failures },
      },
    },
    async ({ params, body: { ref, ...args }, clientSignal: signal }) => {
      const code = await codeTools.open(params.name, { ref, signal })
      return toWire(search.answer, await code.searchCode(fromWire(search.args, args), signal))
    },
  )

  app.post(
    '/projects/:name/code/read',
    {
      config,
      schema: {
        ...common,
        operationId: 'readCode',
        summary: 'Lines of a file',
        body: ReadBody,
        response: { 200: read.answer, ...failures },
      },
    },
    async ({ params, body: { ref, ...args }, clientSignal: signal }) => {
      const code = await codeTools.open(params.name, { ref, signal })
      return toWire(read.answer, await code.readCode(fromWire(read.args, args), signal))
    },
  )

  app.post(
    '/projects/:name/code/definitions',
    {
      config,
      schema: {
        ...common,
        operationId: 'findDefinition',
        summary: 'Where a name is defined',
        body: DefinitionBody,
        response: { 200: definition.answer, ...failures },
      },
    },
    async ({ params, body: { ref, ...args }, clientSignal: signal }) => {
      const code = await codeTools.open(params.name, { ref, signal })
      return toWire(definition.answer, await code.findDefinition(fromWire(definition.args, args), signal))
    },
  )

  app.post(
    '/projects/:name/code/references',
    {
      config,
      schema: {
        ...common,
        operationId: 'findReferences',
        summary: 'The lines that name something',
        body: ReferencesBody,
        response: { 200: references.answer, ...failures },
      },
    },
    async ({ params, body: { ref, ...args }, clientSignal: signal }) => {
      const code = await codeTools.open(params.name, { ref, signal })
      return toWire(references.answer, await code.findReferences(fromWire(references.args, args), signal))
    },
  )

  app.post(
    '/projects/:name/code/history',
    {
      config,
      schema: {
        ...common,
        operationId: 'explainLineHistory',
        summary: 'Who changed lines of a file when, with the diffs',
        body: HistoryBody,
        response: { 200: history.answer, ...failures },
      },
    },
    async ({ params, body: { ref, ...args }, clientSignal: signal }) => {
      const code = await codeTools.open(params.name, { ref, signal })
      return toWire(history.answer, await code.explainLineHistory(fromWire(history.args, args), signal))
    },
  )
}

export default codeRoutes
