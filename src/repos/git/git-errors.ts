import { FaultlineError, type ErrorCode } from '../../core/errors.ts'
import { tokenKey } from '../remote/git-tokens.ts'
import type { RepositoryUrl } from '../remote/repository-url.ts'

const MAX_LINE_CHARS = 300

interface Rule {
  pattern: RegExp
  code: ErrorCode
  message: (where: string) => string
  fix?: (remote: RepositoryUrl) => string
}

/** What git says (LANG=C) and what it means; the first matching rule counts, so the precise ones stand first. */
const RULES: readonly Rule[] = [
  {
    pattern: /No space left on device|Disk quota exceeded/,
    code: 'DISK_FULL',
    message: () => 'The disk became full while the repository was fetched.',
    fix: () => 'Free some space on the disk that holds CLONED_REPOS_DIR.',
  },
  {
    pattern: /repository corruption|unable to read [0-9a-f]{40}|bad tree object/,
    code: 'REPOSITORY_CORRUPT',
    message: where => `${where} lacks objects of its own, or holds damaged ones.`,
    fix: () => 'Run "git fsck" in that repository.',
  },
  {
    pattern: /requested URL returned error: 30[12378]/,
    code: 'REPOSITORY_REDIRECTED',
    message: where => `${where} has moved; redirects are not followed.`,
    fix: () => 'Clone the address that it redirects to.',
  },
  {
    pattern:
      /requested URL returned error: 40[13]|Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(|unable to read askpass/,
    code: 'REPOSITORY_AUTH_FAILED',
    message: where => `${where} does not exist, or may not be read without other credentials.`,
    fix: remote => {
      const key = tokenKey(remote)
      return key === null
        ? 'Check the URL, and give the account that runs the server an SSH key that the host accepts.'
        : `Check the URL, or set GIT_TOKENS=${key}=token on the server.`
    },
  },
  {
    pattern: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    code: 'REPOSITORY_UNREACHABLE',
    message: where => `The host key of ${where} is not the one seen before.`,
    fix: () =>
      'If the host really has a new key, remove the old one from the known_hosts file in CLONED_REPOS_DIR/.faultline.',
  },
  {
    pattern:
      /requested URL returned error: (?:404|410)|repository '.*' not found|does not appear to be a git repository|Repository not found|not a git repository|No such file or directory|could not be found/i,
    code: 'REPOSITORY_NOT_FOUND',
    message: where => `There is no repository at ${where}.`,
    fix: () => 'Check the URL.',
  },
  {
    pattern: /mismatched algorithms|unknown object format|object format/,
    code: 'CLONE_FAILED',
    message: where => `${where} uses an object format other than SHA-1.`,
  },
  {
    pattern:
      /Could not resolve|Failed to connect|Connection (?:refused|timed out|reset|closed)|No route to host|Network is unreachable|Operation too slow|timed out|Empty reply|unexpected disconnect|SSL|TLS|certificate|RPC failed|early EOF|hung up unexpectedly|requested URL returned error: 5\d\d|kex_exchange|not valid: is this a git repository|invalid server response|expected flush|bad line length|protocol error/,
    code: 'REPOSITORY_UNREACHABLE',
    message: where => `${where} did not answer as a git server does.`,
    fix: () => 'Check the URL and the network, then retry the job.',
  },
  {
    pattern:
      /fsck error|bad object|index-pack failed|unpack-objects failed|inflate|pack has bad|is corrupt|did not send all necessary objects|invalid index-pack output|error in object/,
    code: 'REPOSITORY_CORRUPT',
    message: where => `${where} sent objects that git refuses as damaged or malicious.`,
  },
  {
    pattern: /Could not read from remote repository/,
    code: 'REPOSITORY_UNREACHABLE',
    message: where => `${where} ended the connection.`,
    fix: () => 'Check the URL and that the host serves git over this protocol.',
  },
]

/** Output of git without user names and passwords in URLs, the given secrets, absolute paths and control characters. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  let clean = text.slice(0, 16_384)
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '***')
  return (
    clean
      .replace(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@'"]{0,512}@/gi, '$1***@')
      .replace(/(Authorization:\s*\w+\s+)\S+/gi, '$1***')
      .replace(/(^|[\s'"(=:])\/(?!\/)[^\s'":)]+/g, '$1<path>')
      // eslint-disable-next-line no-control-regex -- terminal escapes in what a server sent
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')
  )
}

/** The error for git's stderr, in words that contain no credential and no path of this machine. */
export function fetchError(
  stderr: string,
  remote: RepositoryUrl,
  cause: unknown,
  secrets: readonly string[] = [],
): FaultlineError {
  const where = `"${remote.url}"`
  const rule = RULES.find(({ pattern }) => pattern.test(stderr))
  const line = scrub(stderr.split('\n').find(text => /^(?:fatal|error|remote):/.test(text)) ?? stderr, secrets).slice(
    0,
    MAX_LINE_CHARS,
  )
  const options = { cause: cause instanceof Error ? new Error(cause.message) : undefined }
  if (rule === undefined) {
    return new FaultlineError(
      'CLONE_FAILED',
      `Git could not fetch ${where}: ${line.trim() || 'it gave no reason'}.`,
      undefined,
      options,
    )
  }
  return new FaultlineError(rule.code, rule.message(where), rule.fix?.(remote), options)
}

/** Whether a push failed at what the remote allows, rather than on the way to it. */
export const isRejection = (stderr: string): boolean =>
  /\[(?:remote )?rejected\]|hook declined|not permitted|denied to|service not enabled|requested URL returned error: 403/i.test(
    stderr,
  )

/** A branch of the remote has commits that ours lacks. */
const HOLDS_OTHERS = /\((?:fetch first|non-fast-forward|stale info)\)/

const HAS_COMMIT = "The commit is in the server's clone, and GET /jobs/{id}/patch has it."

/** The same error, which says where the commit is that was to be pushed. */
export const withCommitPlace = ({ code, message, fix = '', cause }: FaultlineError): FaultlineError =>
  new FaultlineError(code, message, `${fix} ${HAS_COMMIT}`.trim(), { cause })

/** Which credentials would let a push in. */
function credentialsToPush(remote: RepositoryUrl, hasToken: boolean): string {
  const key = tokenKey(remote)
  if (key === null) return 'Let the account that runs the server write there.'
  return hasToken
    ? `Check the rights of the token for ${key} in GIT_TOKENS.`
    : `Set GIT_TOKENS=${key}=token on the server, with a token that may push.`
}

/** The error for a push that the remote rejected, with the remote's own words. */
export function pushRejected(
  stderr: string,
  { remote, branch, secrets }: { remote: RepositoryUrl; branch: string; secrets: readonly string[] },
): FaultlineError {
  const words = stderr
    .split('\n')
    .filter(line => /^(?:remote:|error:|fatal:|!)/.test(line.trim()))
    .slice(0, 5)
    .join(' ')
  const reason = scrub(words, secrets).slice(0, MAX_LINE_CHARS).trim() || 'it gave no reason'
  const cure = HOLDS_OTHERS.test(stderr)
    ? `The remote has another branch "${branch}": rename or delete that one.`
    : credentialsToPush(remote, secrets.length > 0)
  return new FaultlineError(
    'PUSH_REJECTED',
    `"${remote.url}" did not take the branch "${branch}": ${reason}`,
    `${cure} ${HAS_COMMIT}`,
  )
}

/** The error for a push that failed on the way to the remote, which says where its commit is. */
export function pushFailed(
  error: FaultlineError,
  { remote, secrets }: { remote: RepositoryUrl; secrets: readonly string[] },
): FaultlineError {
  const { code, cause } = error
  if (code !== 'REPOSITORY_AUTH_FAILED') return withCommitPlace(error)
  const said = `"${remote.url}" may not be pushed to without other credentials.`
  return withCommitPlace(new FaultlineError(code, said, credentialsToPush(remote, secrets.length > 0), { cause }))
}
