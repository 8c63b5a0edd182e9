import type { Command } from 'commander'
import type { Session } from './session.ts'

/** Opens the session of a command, does the work and keeps its exit code. */
export type Run = (command: Command, work: (session: Session) => Promise<number>) => Promise<void>
