import type { ForgeKind } from '../core/forge-kind.ts'
import { createBitbucket } from './bitbucket.ts'
import type { ForgeAccess } from './forge-access.ts'
import type { Forge } from './forge.ts'
import { createForgeHttp, type ForgeHttpOptions } from './forge-http.ts'
import { createGitea } from './gitea.ts'
import { createGithub } from './github.ts'
import { createGitlab } from './gitlab.ts'
import type { ForgePlace } from './which-forge.ts'

/** How calls are made, beside where to. */
export type CallOptions = Pick<
  ForgeHttpOptions,
  'allowPrivateHosts' | 'resolveHost' | 'delaysMs' | 'timeoutMs' | 'maxWaitMs' | 'now'
>

const CLIENTS: Readonly<Record<ForgeKind, (access: ForgeAccess) => Forge>> = {
  github: createGithub,
  gitlab: createGitlab,
  gitea: createGitea,
  bitbucket: createBitbucket,
}

/** GitHub's own type, and the version that these clients were written for. */
export const GITHUB_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

/** User and password of a token, as git would send them; of most tokens only the second half is one. */
function halvesOf(token: string): { user: string | null; password: string } {
  const at = token.indexOf(':')
  return at < 0 ? { user: null, password: token } : { user: token.slice(0, at), password: token.slice(at + 1) }
}

/** How a forge wants to be shown a token of `GIT_TOKENS`. */
function headersWith(kind: ForgeKind, token: string): Record<string, string> {
  const { user, password } = halvesOf(token)
  if (kind === 'github') return { ...GITHUB_HEADERS, authorization: `Bearer ${password}` }
  if (kind === 'gitea') return { authorization: `token ${password}` }
  const isOfAccount = kind === 'bitbucket' && user !== null && user !== 'x-token-auth'
  return { authorization: isOfAccount ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${password}` }
}

/** Opens a repository of a forge with the token of its host. Nothing is sent by that. */
export function openForge(
  { kind, host, apiUrl }: ForgePlace,
  { path, token }: { path: string; token: string },
  options: CallOptions,
): Forge {
  const headers = headersWith(kind, token)
  const secrets = [token, halvesOf(token).password, headers.authorization?.split(' ')[1] ?? '']
  return CLIENTS[kind]({
    http: createForgeHttp({ apiUrl, host, repository: path, headers, secrets, ...options }),
    path,
  })
}
