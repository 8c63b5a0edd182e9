const MAX_LINE_CHARS = 1000

/**
 * `run.sh: line 3: syntax error …`, `bash: -c: line 1: …`, dash's `run.sh: 3: Syntax error: …` and what it says of `.
 * missing.sh`.
 */
const UNREADABLE =
  /: (?:line )?\d+: (?:.*: )?(?:[^:]{0,80}: syntax error|syntax error|unexpected EOF while looking|unexpected end of file|\.: .*(?:not found|(?:cannot|can't) open))/i
/** What shells, Python and Perl say of a script that is not there. */
const MISSING = /^\S*sh: \d+: (?:cannot|can't) open |: can't open file '.*': \[Errno 2\]|^Can't open perl script "/

/**
 * Whether a shell could not read a script, or an interpreter did not find one: both end with exit code 2, and say
 * nothing of a program that ran.
 */
export function isShellFault(stderr: string): boolean {
  return stderr.split('\n').some(line => {
    const start = line.slice(0, MAX_LINE_CHARS)
    return UNREADABLE.test(start) || MISSING.test(start)
  })
}
