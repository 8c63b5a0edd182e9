/** Below HOME: where pip puts programs when it may not write to its own folder. */
const OWN_PROGRAMS = '.local/bin'
const BASE_PATH = ['/usr/local/go/bin', '/usr/local/bin', '/usr/bin', '/bin']
/**
 * Node's heap limit as a share of the memory limit, so that a program reports "heap out of memory" before it is killed.
 */
const HEAP_SHARE = 0.75
const NAME = /^[A-Za-z_]\w*$/
/** Variables that would change the programs that set the limits, before the requested one runs. */
const REFUSED = /^(?:LD_\w*|BASH_\w*|ENV|SHELLOPTS|BASHOPTS|GLIBC_TUNABLES|PS4|IFS)$/

/**
 * All variables that a program gets.
 *
 * @param env - Overrides the usual ones, but is only appended to NODE_OPTIONS.
 * @throws {Error} A malformed name, or one that would change how programs are started: a bug of the caller.
 */
export function programEnv({
  path,
  memoryMb,
  env,
  home = '/tmp',
}: {
  path: readonly string[]
  memoryMb: number
  env: Readonly<Record<string, string>>
  home?: string
}): Record<string, string> {
  for (const [name, value] of Object.entries(env)) {
    if (!NAME.test(name) || REFUSED.test(name) || value.includes('\0')) {
      throw new Error(`the variable ${JSON.stringify(name)} cannot be given to a program`)
    }
  }
  const heap = `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`
  return {
    PATH: [...path, `${home}/${OWN_PROGRAMS}`, ...BASE_PATH].join(':'),
    HOME: home,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    CI: '1',
    ...env,
    NODE_OPTIONS: env.NODE_OPTIONS === undefined ? heap : `${heap} ${env.NODE_OPTIONS}`,
  }
}
