import { delimiter } from 'node:path'
import type { RepositoryUrl } from '../remote/repository-url.ts'

/** Where git and ssh are looked up: never the server's own PATH, which could contain git-lfs and other programs. */
export const GIT_SEARCH_PATH = ['/usr/bin', '/bin'].join(delimiter)

/**
 * The whole environment of every git process. Nothing of the server's own goes in, so neither a hook-like variable nor
 * a secret does. No system or user configuration is read, nothing prompts, no helper runs.
 */
export function gitEnv({
  home = '/nonexistent',
  searchPath = GIT_SEARCH_PATH,
  globalConfig = '/dev/null',
  protocols = '',
  ceiling = '/',
  gitDir,
}: {
  home?: string
  searchPath?: string
  globalConfig?: string
  protocols?: string
  ceiling?: string
  gitDir?: string
} = {}): Record<string, string> {
  return {
    PATH: searchPath,
    HOME: home,
    LANG: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: globalConfig,
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CEILING_DIRECTORIES: ceiling,
    // named outright, git looks for no other and asks nobody who owns it
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
  }
}

/** git would map whole packs and keep 96 MiB of what it unpacked: more memory by half, for no time. */
const LITTLE_MEMORY: readonly string[] = [
  'core.packedGitWindowSize=1m',
  'core.packedGitLimit=16m',
  'core.deltaBaseCacheLimit=6m',
]

/** Settings as `key=value` for every git process, local or not. */
export const LOCAL_SETTINGS: readonly string[] = [
  'protocol.allow=never',
  'credential.helper=',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'submodule.recurse=false',
  'core.attributesFile=/dev/null',
  'core.logAllRefUpdates=false',
  ...LITTLE_MEMORY,
  'gc.auto=0',
  'maintenance.auto=false', // ours packs without dropping anything: see clone-upkeep.ts
]

/** The protocol that git uses for a remote. */
export function protocolOf(remote: RepositoryUrl): 'https' | 'http' | 'ssh' | 'file' {
  return remote.kind === 'local' ? 'file' : remote.kind
}

/**
 * Settings of a process that talks to a remote: exactly its protocol, no redirects, its checked addresses, objects
 * checked on arrival. The three exceptions are faults of old tools that well-known projects carry in their history;
 * none can do harm.
 *
 * @param addresses - What the host resolved to when it was checked; git connects there and does not resolve again.
 * Empty for literals and local paths.
 */
export function remoteSettings(remote: RepositoryUrl, addresses: readonly string[]): string[] {
  const pinned = addresses.map(address => (address.includes(':') ? `[${address}]` : address)).join(',')
  return [
    ...LOCAL_SETTINGS,
    `protocol.${protocolOf(remote)}.allow=always`,
    'http.followRedirects=false',
    'http.proxy=',
    'http.lowSpeedLimit=1000',
    'http.lowSpeedTime=20',
    ...(remote.kind !== 'ssh' && pinned !== '' ? [`http.curloptResolve=${remote.host}:${remote.port}:${pinned}`] : []),
    'transfer.fsckObjects=true',
    'fetch.fsck.badTimezone=ignore',
    'fetch.fsck.zeroPaddedFilemode=ignore',
    'fetch.fsck.missingSpaceBeforeDate=ignore',
    // always a pack: it is there whole or not at all, while loose objects may be cut off half-way
    'fetch.unpackLimit=1',
  ]
}

/**
 * Environment that passes a token to one process as a header: not in argv, which every account can read, nor in a file.
 * Redirects are off, so the header goes to that host only. A token written `user:password` is used as such.
 */
export function credentialEnv(token: string): Record<string, string> {
  const pair = token.includes(':') ? token : `x-access-token:${token}`
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(pair).toString('base64')}`,
  }
}

/**
 * The part of a git configuration written by the server that allows reading one local source owned by another account.
 */
export function safeDirectoryConfig(gitDir: string): string {
  return `[safe]\n\tdirectory = "${gitDir.replace(/[\\"]/g, '\\$&')}"\n`
}

/**
 * How a local source is served: from the given git directory and no other place that git would try, and without the two
 * kinds of index that could name files elsewhere. A git gives none of its settings to the one that serves it.
 */
export const LOCAL_UPLOAD_PACK = [
  'git',
  ...['core.multiPackIndex=false', 'core.commitGraph=false', ...LITTLE_MEMORY].map(setting => `-c ${setting}`),
  'upload-pack --strict',
].join(' ')

/**
 * How a local source accepts a branch: without its hooks, and without what it would run for others' objects or do to a
 * work tree.
 */
export const LOCAL_RECEIVE_PACK = [
  'git',
  '-c core.hooksPath=/dev/null',
  '-c core.fsmonitor=false',
  '-c core.alternateRefsCommand=true',
  '-c receive.denyCurrentBranch=refuse',
  '-c receive.autogc=false',
  '-c gc.auto=0',
  'receive-pack',
].join(' ')
