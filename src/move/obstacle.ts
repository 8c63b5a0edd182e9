import { FaultlineError } from '../core/errors.ts'
import type { Obstacle } from './part.ts'

/** What an expected error says, as something that lies in the way. @throws What is none. */
export function obstacleOf(error: unknown): Obstacle {
  if (!(error instanceof FaultlineError)) throw error
  return { message: error.message, fix: error.fix ?? 'See the log of the server.' }
}
