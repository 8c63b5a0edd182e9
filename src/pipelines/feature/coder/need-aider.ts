import { FaultlineError } from '../../../core/errors.ts'

/** What is configured of the external coder. */
export interface AiderSettings {
  /** The absolute path of the program; null: there is none. */
  bin: string | null
  /** As aider knows it; null: the configured model. */
  model: string | null
}

/** The program. @throws {FaultlineError} VALIDATION_FAILED: there is none. */
export function needAider({ bin }: AiderSettings): string {
  if (bin !== null) return bin
  throw new FaultlineError(
    'VALIDATION_FAILED',
    'coder: "aider" needs the program aider, and this server has none configured.',
    'Set AIDER_BIN=/path/of/aider on the server, or leave "coder" out.',
  )
}
