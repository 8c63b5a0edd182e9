/** Why a run failed that says nothing of the code. */
interface InfrastructureRule {
  name: string
  /** What is at fault, as a part of a sentence. */
  what: string
  pattern: RegExp
}

/** Looked for in this order on single lines of a log; `docs/ci.md` lists them. */
export const INFRASTRUCTURE_RULES: readonly InfrastructureRule[] = [
  {
    name: 'disk',
    what: 'the disk of the runner was full',
    pattern: /\bENOSPC\b|No space left on device|Disk quota exceeded|There is not enough space on the disk/i,
  },
  {
    name: 'memory',
    what: 'the runner was out of memory',
    pattern:
      /\bOOMKilled\b|Out of memory: Kill|oom-kill|Cannot allocate memory|\bENOMEM\b|runner.{0,40}out of memory|signal:? 9, SIGKILL: kill|\b(?:compiler|cc1plus|rustc|ld|collect2)\b.{0,80}(?:terminated|Killed) signal|Killed signal terminated program/i,
  },
  {
    name: 'runner',
    what: 'the runner was lost or the job was ended from outside',
    pattern:
      /runner has received a shutdown signal|lost communication with the server|The operation was canceled|runner system failure|Job (?:was cancelled|execution took longer)|exceeded the maximum execution time|Cannot connect to the Docker daemon|prepare environment: exit code|agent (?:lost|was offline)|spot instance|received SIGTERM.{0,40}runner|The hosted runner/i,
  },
  {
    name: 'registry',
    what: 'a registry of packages or images did not serve',
    pattern:
      /npm (?:ERR!|error).{0,40}(?:ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E50[0-4]|E429|ERR_SOCKET_TIMEOUT|network)|ERR_PNPM_(?:FETCH|META_FETCH_FAIL)|Could not (?:fetch|reach) (?:URL|the index)|Max retries exceeded with url: \/(?:simple|packages)|HTTPSConnectionPool\(host='(?:pypi|files\.pythonhosted)|Failed to fetch https?:\/\/\S*(?:pypi|crates|rubygems|maven|packagist|ubuntu|debian|alpine)|(?:Could not|Cannot) (?:transfer|resolve|GET) .{0,120}(?:timed out|50[0-4]|Connection reset|Received status code (?:429|50[0-4]))|toomanyrequests|pull rate limit|Error response from daemon.{0,80}(?:timeout|EOF|50[0-4]|TLS handshake)|spurious network error|failed to (?:download from|fetch) `?https?:\/\/\S*(?:crates\.io|index)|proxy\.golang\.org.{0,80}(?:timeout|50[0-4]|EOF|reset)|Gem::RemoteFetcher::FetchError|The ".{0,80}packagist.{0,80}could not be downloaded|Hash Sum mismatch/i,
  },
  {
    name: 'network',
    what: 'the network of the runner failed',
    pattern:
      /Temporary failure in name resolution|Could not resolve host|getaddrinfo EAI_AGAIN|fatal: unable to access 'https?:|RPC failed; (?:HTTP 5|curl)|The requested URL returned error: (?:429|50[0-4])|TLS handshake timeout|Network is unreachable|ssh: connect to host .{0,80}(?:timed out|refused)|curl: \((?:5|6|7|28|35|52|56)\)/i,
  },
]

/** A line of a log that says that the machine failed, and the rule by which. */
export interface InfrastructureFailure {
  rule: string
  what: string
  line: string
}

const MAX_LINE_CHARS = 2_000
const MAX_SHOWN_CHARS = 200

/** The first failure of the machine that a text tells of; null for none. What comes last in a line is cut. */
export function infrastructureFailure(text: string): InfrastructureFailure | null {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    const line = text.slice(from, Math.min(to, from + MAX_LINE_CHARS))
    const rule = INFRASTRUCTURE_RULES.find(({ pattern }) => pattern.test(line))
    if (rule !== undefined) return { rule: rule.name, what: rule.what, line: line.trim().slice(0, MAX_SHOWN_CHARS) }
    from = to + 1
  }
  return null
}
