import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import type { CodeToolAnswers } from '../contract/code-tools.ts'
import type { Asked } from './asked.ts'
import { pathOf, type Caller } from './caller.ts'

/** As much of a file as one answer of a route may hold. */
const MAX_TOKENS = 50_000
const FILE_URI = /^faultline:\/\/projects\/([^/?#]+)\/files\/([^?#]+)(?:\?ref=([^&#]+))?$/
const RESOLUTION_URI = /^faultline:\/\/resolutions\/(res_[0-9a-f]{24})$/

function partsOf(uri: string, pattern: RegExp): string[] {
  const [, ...parts] = pattern.exec(uri) ?? []
  try {
    if (parts.length > 0) return parts.map(part => (part === undefined ? '' : decodeURIComponent(part)))
  } catch {
    // no encoding of anything
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The URI names no resource of this server.')
}

/** A file as its commit has it; of a long one the first lines, and what is left out. */
async function readFile(uri: string, { ask }: Caller) {
  const [name = '', path = '', ref = ''] = partsOf(uri, FILE_URI)
  const body = { path, max_tokens: MAX_TOKENS, ...(ref === '' ? {} : { ref }) }
  const answer = (await ask({
    method: 'POST',
    path: pathOf`/projects/${name}/code/read`,
    body,
  })) as CodeToolAnswers['read_code']
  const { text, tokens, notice, total_lines: lines, commits } = answer
  const file = { uri, mimeType: 'text/plain', text, _meta: { tokens, notice, lines, commits } }
  const cut = { uri: `${uri}#cut`, mimeType: 'text/plain', text: `This is not the whole file. ${notice ?? ''}` }
  return { contents: notice === null ? [file] : [file, cut] }
}

async function readResolution(uri: string, { ask, cutToTokens }: Caller) {
  const [id = ''] = partsOf(uri, RESOLUTION_URI)
  const answer = await ask({ method: 'GET', path: pathOf`/resolutions/${id}` })
  const whole = JSON.stringify(answer, null, 2)
  const { text, tokens } = await cutToTokens(whole, MAX_TOKENS)
  const isCut = text.length < whole.length
  const shown = { uri, mimeType: isCut ? 'text/plain' : 'application/json', text, _meta: { tokens } }
  const cut = {
    uri: `${uri}#cut`,
    mimeType: 'text/plain',
    text: `Cut to ${MAX_TOKENS} tokens; get_resolution is shorter.`,
  }
  return { contents: isCut ? [shown, cut] : [shown] }
}

/** Adds what can be read by its URI. */
export function addResources(server: McpServer, caller: Caller, asked: Asked): void {
  const file = 'faultline://projects/{name}/files/{+path}'
  const description = 'The text of an indexed file, at the commit that is indexed'
  const read = async (uri: URL) => await asked(() => readFile(uri.href, caller))
  server.registerResource(
    'file',
    new ResourceTemplate(file, { list: undefined }),
    { title: 'A file of a project', description: `${description}.`, mimeType: 'text/plain' },
    read,
  )
  server.registerResource(
    'file-at-ref',
    new ResourceTemplate(`${file}{?ref}`, { list: undefined }), // the SDK takes no part of a query for optional
    {
      title: 'A file of a project at a commit',
      description: `${description}, or at another commit, tag or branch (ref).`,
      mimeType: 'text/plain',
    },
    read,
  )
  server.registerResource(
    'resolution',
    new ResourceTemplate('faultline://resolutions/{id}', { list: undefined }),
    {
      title: 'An answer to a stack trace',
      description: 'What was found for a stack trace, with the suspect commits and the explanation, as JSON.',
      mimeType: 'application/json',
    },
    async uri => await asked(() => readResolution(uri.href, caller)),
  )
}
