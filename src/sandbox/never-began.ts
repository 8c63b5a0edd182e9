import type { Outcome } from './supervise.ts'

/** Of a run that was cancelled before its turn. */
export const NEVER_BEGAN: Omit<Outcome, 'began'> = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  truncatedBytes: 0,
  timedOut: false,
  killedBy: 'cancelled',
  ready: false,
  durationMs: 0,
}
