import type { Config } from '../config.ts'
import { askForReview } from '../forges/ask-reviewers.ts'
import { createCheckRuns, type CheckRuns } from '../forges/check-runs.ts'
import { deliverRequest } from '../forges/deliver-request.ts'
import type { Forge } from '../forges/forge.ts'
import type { FindForge, ForgeRequests } from '../forges/forge-site.ts'
import { compareUrl, lineUrl } from '../forges/links.ts'
import { writeOneComment } from '../forges/one-comment.ts'
import { closeRequest, mergeRequest } from '../forges/settle-request.ts'
import { openForge, type CallOptions } from '../forges/open-forge.ts'
import { whichForge, type ForgePlace, type ForgeRemote } from '../forges/which-forge.ts'
import { createGlobTest } from '../indexer/path-globs.ts'
import type { Projects } from '../indexer/projects.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'
import { createMutexes } from '../repos/clone/mutex.ts'
import { parseRepositoryUrl, type RepositoryUrl } from '../repos/remote/repository-url.ts'
import { isUploaded } from '../repos/uploads/uploaded-remote.ts'

type ForgeConfig = Pick<Config, 'forges' | 'gitTokens' | 'githubApp' | 'allowPrivateHosts'>

/** To read an address does no harm, wherever it leads. */
const ANY_HOST = { allowLocalRepos: [], allowPrivateHosts: true }
const USUAL_PORT = { https: 443, http: 80, ssh: 22 } as const
const GITHUB = 'github.com'

/** The parts of a remote that say where its forge is; null for one that cannot be on a forge. */
function forgeRemote({ kind, identity, host, port }: RepositoryUrl): ForgeRemote | null {
  if (kind === 'local' || host === null) return null
  const path = identity.replace(/^[a-z]+:\/\/[^/]*\/(?:~\/)?/, '').replace(/\/$/, '')
  if (!path.includes('/')) return null
  return {
    scheme: kind,
    host,
    port: port === USUAL_PORT[kind] ? null : port,
    path: path.split('/').map(decodeURIComponent).join('/'),
  }
}

/** The forge's part of a project's address; null for what was uploaded, or lies on this machine. */
async function remoteAt(url: string): Promise<ForgeRemote | null> {
  if (isUploaded(url) || url.startsWith('/') || url.startsWith('file:')) return null
  return forgeRemote(await parseRepositoryUrl(url, ANY_HOST))
}

/** The token for a forge; one that is meant for HTTPS never goes over plain HTTP. */
function forgeToken({ host, apiUrl }: ForgePlace, tokens: ReadonlyMap<string, string>): string | null {
  if (apiUrl.startsWith('http://')) return tokens.get(`http://${host}`) ?? null
  return tokens.get(host) ?? tokens.get(`${host}:443`) ?? null
}

/** The host whose App is configured: the first of `FORGES` that is a GitHub, else GitHub itself. */
function appHost({ forges }: Pick<ForgeConfig, 'forges'>): string {
  return [...forges].find(([, { kind }]) => kind === 'github')?.[0] ?? GITHUB
}

/** A forge that is sent no secrets. */
const withoutSecrets = (forge: Forge): Forge => ({
  ...forge,
  open: (request, signal) =>
    forge.open({ ...request, ...redactTexts({ title: request.title, body: request.body }) }, signal),
  update: (number, text, signal) => forge.update(number, redactTexts(text), signal),
  addComment: (number, body, signal) => forge.addComment(number, redactTexts({ body }).body, signal),
  updateComment: (number, id, body, signal) => forge.updateComment(number, id, redactTexts({ body }).body, signal),
})

/** Check runs that hold no secrets. */
const cleanCheckRuns = ({ write }: CheckRuns): CheckRuns => ({
  write: ({ commit, externalId, ...text }, signal) => write({ commit, externalId, ...redactTexts(text) }, signal),
})

/** The forges of projects: which one, with what token, and what can be done there. */
export function createForges(
  config: ForgeConfig,
  { projects, calls = {} }: { projects: Pick<Projects, 'sourceOf'>; calls?: Partial<CallOptions> },
): FindForge {
  const options: CallOptions = { allowPrivateHosts: config.allowPrivateHosts, ...calls }
  const mutexes = createMutexes() // what is looked for is not made by somebody else meanwhile

  function requestsOn(place: ForgePlace, path: string): ForgeRequests | null {
    const token = forgeToken(place, config.gitTokens)
    if (token === null) return null
    const forge = withoutSecrets(openForge(place, { path, token }, options))
    const inTurn = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
      mutexes.run(`${place.host}/${path}`.toLowerCase(), work, signal)
    return {
      deliver: (request, join, signal) => inTurn(() => deliverRequest(forge, request, join, signal), signal),
      close: (number, signal) => inTurn(() => closeRequest(forge, number, signal), signal),
      merge: (request, signal) => inTurn(() => mergeRequest(forge, request, signal), signal),
      comment: (comment, signal) => inTurn(() => writeOneComment(forge, comment, signal), signal),
      askForReview: (request, readText, signal) =>
        askForReview(forge, request, { readText, globTest: createGlobTest }, signal),
    }
  }

  return async at => {
    const { url, branch } = await projects.sourceOf(at.projectName, at.repository)
    const remote = await remoteAt(url)
    const place = remote === null ? null : whichForge(remote, config.forges)
    if (remote === null || place === null) return null
    const { githubApp: app } = config
    const { path } = remote
    const { kind, host, webUrl } = place
    return {
      kind,
      host,
      path,
      branch,
      compareUrl: (head, base = branch) => compareUrl(kind, { webUrl, path, head, base }),
      lineUrl: at => lineUrl(kind, { webUrl, path, ...at }),
      requests: requestsOn(place, path),
      checkRuns:
        app === null || kind !== 'github' || host !== appHost(config)
          ? null
          : cleanCheckRuns(createCheckRuns(place, { path, app }, options)),
    }
  }
}
