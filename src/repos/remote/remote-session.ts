import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FaultlineError } from '../../core/errors.ts'
import { callGit, GitFailure } from '../git/git-client.ts'
import {
  credentialEnv,
  gitEnv,
  LOCAL_RECEIVE_PACK,
  LOCAL_UPLOAD_PACK,
  protocolOf,
  remoteSettings,
  safeDirectoryConfig,
} from '../git/git-env.ts'
import { fetchError, isRejection, pushFailed, pushRejected } from '../git/git-errors.ts'
import { tokenFor } from './git-tokens.ts'
import { checkedAddresses, type ResolveHost } from './host-addresses.ts'
import { requireContained } from './local-source.ts'
import { redirectTarget } from './redirect-target.ts'
import { parseRemoteRefs, type RemoteRefs } from './remote-refs.ts'
import type { RepositoryUrl } from './repository-url.ts'
import { sshCommand } from './ssh-command.ts'

const RESOLVE_TIMEOUT_MS = 10_000

/** How remotes may be reached, and with which credentials. */
export interface RemoteOptions {
  clonedReposDir: string
  /** Folders from which a local source may serve its objects. */
  allowLocalRepos: readonly string[]
  allowPrivateHosts: boolean
  /** Tokens by the key from `tokenKey`, in lower case. */
  gitTokens: ReadonlyMap<string, string>
  resolveHost: ResolveHost
  searchPath: string
  sshKeysDir: string | null
  sshAuthSock: string | null
}

/** How far a transfer is. */
export interface GitProgress {
  /** `receiving` (objects) or `resolving` (deltas). */
  phase: string
  done: number
  total: number | null
}

/** What to fetch into which clone. */
export interface FetchOptions {
  gitDir: string
  /** `[+]remote:local`, made of checked names. */
  refspecs: readonly string[]
  /** `--depth`; null fetches everything that is missing. */
  depth: number | null
  /** Whether to delete local refs that the refspecs cover and the remote no longer has. */
  prune?: boolean
  /** As in `callGit`. */
  isLowPriority?: boolean
  signal: AbortSignal
  onProgress?: (progress: GitProgress) => void
}

/** What to push out of which clone. */
export interface PushOptions {
  gitDir: string
  /** Of the remote, and of the clone unless `commit` is given. */
  branch: string
  /** What the branch is to hold, and what the remote must hold before. The second must be an ancestor of the first. */
  move?: { commit: string; expected: string }
  /** What the remote must hold, null for no such branch; what the clone has must contain it. */
  held?: string | null
  /** Deletes the branch of the remote, which must hold that. */
  remove?: { expected: string }
  signal: AbortSignal
}

/**
 * One remote whose host was resolved and checked once; git connects to those addresses for as long as the session is
 * used.
 */
export interface RemoteSession {
  remote: RepositoryUrl
  listRefs(signal: AbortSignal, answerMs: number): Promise<RemoteRefs>
  /**
   * Fetches refs.
   *
   * @returns `missing` when the remote has no such ref or object, `not-allowed` when it does not serve commits by their
   * id.
   */
  fetch(options: FetchOptions): Promise<'fetched' | 'missing' | 'not-allowed'>
  /**
   * Pushes to a branch of the remote, and never over what is there.
   *
   * @throws {FaultlineError} PUSH_REJECTED
   */
  push(options: PushOptions): Promise<void>
}

/** Folder for the server's own files beside the clones; no clone's name begins with a dot. */
const stateFolder = (clonedReposDir: string): string => join(clonedReposDir, '.faultline')

async function safeDirectoryFile(folder: string, path: string): Promise<string> {
  const file = join(folder, `gitconfig-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`)
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, safeDirectoryConfig(path), { mode: 0o600 })
  await rename(draft, file).catch(async () => {
    await rm(file, { recursive: true, force: true }) // a folder that somebody left in its place
    await rename(draft, file)
  })
  return file
}

async function remoteEnv(
  remote: RepositoryUrl,
  options: RemoteOptions,
  addresses: readonly string[],
): Promise<{ env: Record<string, string>; secrets: string[] }> {
  const folder = stateFolder(options.clonedReposDir)
  const home = join(folder, 'home')
  await mkdir(home, { recursive: true, mode: 0o700 })
  // Without a GIT_DIR git looks for a repository upwards, and would find the checkout that the data folders lie in.
  const base = { home, ceiling: folder, searchPath: options.searchPath, protocols: protocolOf(remote) }
  if (remote.kind === 'local') {
    return {
      env: gitEnv({ ...base, globalConfig: await safeDirectoryFile(folder, await requireContained(remote, options)) }),
      secrets: [],
    }
  }
  if (remote.kind === 'ssh') {
    const command = await sshCommand(
      { knownHostsFile: join(folder, 'known_hosts'), keysDir: options.sshKeysDir },
      remote.host ?? '',
      addresses[0],
    )
    return {
      env: {
        ...gitEnv(base),
        GIT_SSH_COMMAND: command,
        GIT_SSH_VARIANT: 'ssh',
        ...(options.sshAuthSock === null ? {} : { SSH_AUTH_SOCK: options.sshAuthSock }),
      },
      secrets: [],
    }
  }
  const token = tokenFor(remote, options.gitTokens)
  if (token === null) return { env: gitEnv(base), secrets: [] }
  const credential = credentialEnv(token)
  return {
    env: { ...gitEnv(base), ...credential },
    secrets: [
      token,
      ...Object.values(credential)
        .filter(value => value.startsWith('Authorization'))
        .map(value => value.slice(value.lastIndexOf(' ') + 1)),
    ],
  }
}

/**
 * Resolves and checks a remote.
 *
 * @throws {FaultlineError} ADDRESS_REFUSED, LOCAL_REPOSITORY_REFUSED, REPOSITORY_NOT_FOUND (a local path);
 * REPOSITORY_UNREACHABLE: a name that cannot be resolved is not tried.
 */
export async function openRemote(
  remote: RepositoryUrl,
  options: RemoteOptions,
  signal: AbortSignal,
): Promise<RemoteSession> {
  const { allowPrivateHosts, resolveHost } = options
  const addresses =
    remote.host === null
      ? []
      : await checkedAddresses(remote.host, { resolveHost, allowPrivateHosts, timeoutMs: RESOLVE_TIMEOUT_MS, signal })
  const { env, secrets } = await remoteEnv(remote, options, addresses)
  const settings = remoteSettings(remote, addresses)

  /** Arguments that name the remote. A local one is checked each time, because it may have changed since. */
  async function address(local = `--upload-pack=${LOCAL_UPLOAD_PACK}`): Promise<{ options: string[]; url: string }> {
    if (remote.kind !== 'local') return { options: [], url: remote.url }
    return { options: [local], url: pathToFileURL(await requireContained(remote, options)).href }
  }

  async function explain(error: unknown): Promise<unknown> {
    if (!(error instanceof GitFailure)) return error
    const explained = fetchError(error.stderr, remote, error, secrets)
    if (explained.code !== 'REPOSITORY_REDIRECTED') return explained
    const target = await redirectTarget(remote, addresses, signal)
    return target === null
      ? explained
      : new FaultlineError(
          'REPOSITORY_REDIRECTED',
          `"${remote.url}" has moved to "${target}"; redirects are not followed.`,
          `Clone "${target}".`,
        )
  }

  return {
    remote,
    async listRefs(outer, answerMs) {
      const { options, url } = await address()
      const late = AbortSignal.timeout(answerMs)
      try {
        return parseRemoteRefs(
          await callGit({
            args: ['ls-remote', '--symref', ...options, '--', url],
            cwd: env.HOME ?? '/',
            env,
            settings,
            signal: AbortSignal.any([outer, late]),
          }),
          remote,
        )
      } catch (error) {
        outer.throwIfAborted()
        if (late.aborted) {
          throw new FaultlineError(
            'REPOSITORY_UNREACHABLE',
            `"${remote.url}" did not answer within ${Math.round(answerMs / 1000)} s.`,
            'Check the URL and the network, then retry the job.',
          )
        }
        throw await explain(error)
      }
    },

    async fetch({ gitDir, refspecs, depth, prune = false, isLowPriority, signal: outer, onProgress }) {
      const { options, url } = await address()
      const args = [
        'fetch',
        ...options,
        '--progress',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--update-shallow',
        '--force',
        ...(depth === null ? [] : [`--depth=${depth}`]),
        ...(prune ? ['--prune'] : []),
        '--',
        url,
        ...refspecs,
      ]
      try {
        await callGit({
          args,
          cwd: gitDir,
          env: { ...env, GIT_DIR: gitDir },
          settings,
          isLowPriority,
          signal: outer,
          onProgress,
        })
        return 'fetched'
      } catch (error) {
        if (error instanceof GitFailure && /couldn't find remote ref|not our ref/.test(error.stderr)) return 'missing'
        if (error instanceof GitFailure && /unadvertised object|does not allow request/i.test(error.stderr)) {
          return 'not-allowed'
        }
        throw await explain(error)
      }
    },

    async push({ gitDir, branch, move, held, remove, signal: outer }) {
      const { options, url } = await address(`--receive-pack=${LOCAL_RECEIVE_PACK}`)
      const ref = `refs/heads/${branch}`
      const lease = held === null ? '' : held // git reads nothing as no such branch
      const expected = move?.expected ?? remove?.expected ?? lease
      const pushed = move?.commit ?? ref
      const source = remove === undefined ? pushed : ''
      try {
        await callGit({
          args: [
            'push',
            ...options,
            '--quiet',
            '--no-verify',
            '--no-signed',
            '--recurse-submodules=no',
            ...(expected === undefined ? [] : [`--force-with-lease=${ref}:${expected}`]),
            '--',
            url,
            `${source}:${ref}`,
          ],
          cwd: gitDir,
          env: { ...env, GIT_DIR: gitDir },
          settings,
          signal: outer,
        })
      } catch (error) {
        if (error instanceof GitFailure && isRejection(error.stderr)) {
          throw pushRejected(error.stderr, { remote, branch, secrets })
        }
        const explained = await explain(error)
        throw explained instanceof FaultlineError ? pushFailed(explained, { remote, secrets }) : explained
      }
    },
  }
}
