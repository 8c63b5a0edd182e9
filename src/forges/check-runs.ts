import { sign, type KeyObject } from 'node:crypto'
import { Type } from '../core/type.ts'
import { ownerAndName, urlPath } from './forge-access.ts'
import { createForgeHttp, type ForgeHttp } from './forge-http.ts'
import { GITHUB_HEADERS, type CallOptions } from './open-forge.ts'
import { Anything, Id, PageUrl, Text } from './replies.ts'
import type { ForgePlace } from './which-forge.ts'

/** A place in a file, as GitHub shows it beside the diff. */
interface CheckAnnotation {
  path: string
  startLine: number
  endLine: number
  level: 'failure' | 'warning' | 'notice'
  title: string
  message: string
}

/** What a check run says of a commit. */
export interface CheckRun {
  /** The whole id. */
  commit: string
  /** The id of the job: a second run with it changes the one that there is. */
  externalId: string
  title: string
  /** Markdown. */
  summary: string
  annotations: readonly CheckAnnotation[]
}

/** Writes check runs in the name of a GitHub App. */
export interface CheckRuns {
  /** @returns The page of the run. @throws {FaultlineError} FORGE_REFUSED */
  write(run: CheckRun, signal: AbortSignal): Promise<string>
}

const NAME = 'Faultline'
/** What GitHub takes with one call. */
const BATCH = 50
const MAX_ANNOTATIONS = 500
const MAX_SUMMARY_CHARS = 65_000
const MAX_TITLE_CHARS = 250
const MAX_MESSAGE_CHARS = 4_000
/** Ten minutes are the most; clocks differ. */
const TOKEN_LIFE_S = 540
const CLOCK_SKEW_S = 60

const Installation = Type.Object({ id: Id })
const InstallationToken = Type.Object({ token: Type.String({ minLength: 1, maxLength: 2_000 }) })
const Run = Type.Object({
  id: Id,
  html_url: Type.Union([PageUrl, Type.Null()]),
  external_id: Type.Optional(Type.Union([Text, Type.Null()])),
  output: Type.Object({ annotations_count: Type.Integer({ minimum: 0 }) }),
})

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64url')

/** The token by which an App says who it is: a JSON web token, signed with its key. */
export function appToken({ id, key }: { id: string; key: KeyObject }, nowMs: number): string {
  const now = Math.floor(nowMs / 1000)
  const header = base64(JSON.stringify({ alg: 'RS256', typ: 'JWT' }))
  const claims = base64(JSON.stringify({ iat: now - CLOCK_SKEW_S, exp: now + TOKEN_LIFE_S, iss: id }))
  return `${header}.${claims}.${base64(sign('sha256', Buffer.from(`${header}.${claims}`), key))}`
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

const annotationOf = ({ path, startLine, endLine, level, title, message }: CheckAnnotation) => ({
  path,
  start_line: startLine,
  end_line: endLine,
  annotation_level: level,
  title: cut(title, MAX_TITLE_CHARS),
  message: cut(message, MAX_MESSAGE_CHARS),
})

/** Check runs of one repository. Nothing is sent by that. */
export function createCheckRuns(
  { host, apiUrl }: Pick<ForgePlace, 'host' | 'apiUrl'>,
  { path, app }: { path: string; app: { id: string; key: KeyObject } },
  options: CallOptions,
): CheckRuns {
  const { owner, name } = ownerAndName(path)
  const repository = `/repos${urlPath(owner, name)}`
  const httpWith = (token: string): ForgeHttp =>
    createForgeHttp({
      apiUrl,
      host,
      repository: path,
      headers: { ...GITHUB_HEADERS, authorization: `Bearer ${token}` },
      secrets: [token],
      ...options,
    })

  async function asInstallation(signal: AbortSignal): Promise<ForgeHttp> {
    const http = httpWith(appToken(app, (options.now ?? Date.now)()))
    const { id } = await http.call({
      method: 'GET',
      path: `${repository}/installation`,
      reply: Installation,
      to: 'show where the App is installed',
      signal,
    })
    const { token } = await http.call({
      method: 'POST',
      path: `/app/installations${urlPath(id)}/access_tokens`,
      body: { repositories: [name], permissions: { checks: 'write' } },
      reply: InstallationToken,
      to: 'give the App a token',
      signal,
    })
    return httpWith(token)
  }

  async function findRun(http: ForgeHttp, { commit, externalId }: CheckRun, signal: AbortSignal) {
    const { check_runs: runs } = await http.call({
      method: 'GET',
      path: `${repository}/commits${urlPath(commit)}/check-runs`,
      query: { check_name: NAME, filter: 'all', per_page: 100 },
      reply: Type.Object({ check_runs: Type.Array(Run) }),
      to: 'list check runs',
      signal,
    })
    return runs.find(({ external_id: id }) => id === externalId) ?? null
  }

  return {
    async write(run, signal) {
      const http = await asInstallation(signal)
      const all = run.annotations.slice(0, MAX_ANNOTATIONS).map(annotationOf)
      const text = { title: cut(run.title, MAX_TITLE_CHARS), summary: cut(run.summary, MAX_SUMMARY_CHARS) }
      const outputWith = (from: number) => ({ output: { ...text, annotations: all.slice(from, from + BATCH) } })
      const finished = { status: 'completed', conclusion: 'neutral' } // the run of CI itself has failed already

      const found = await findRun(http, run, signal)
      const first =
        found ??
        (await http.call({
          method: 'POST',
          path: `${repository}/check-runs`,
          body: { name: NAME, head_sha: run.commit, external_id: run.externalId, ...finished, ...outputWith(0) },
          reply: Run,
          to: 'make a check run',
          signal,
        }))
      // each call adds some: those of a run that was cut off are there already
      for (let from = found?.output.annotations_count ?? BATCH; from < all.length; from += BATCH) {
        await http.call({
          method: 'PATCH',
          path: `${repository}/check-runs${urlPath(first.id)}`,
          body: { ...finished, ...outputWith(from) },
          reply: Anything,
          to: 'change a check run',
          signal,
        })
      }
      return first.html_url ?? ''
    },
  }
}
