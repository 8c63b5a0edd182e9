import type { FaultlineError } from '../core/errors.ts'

/** How much room there is where jobs write. */
export interface DiskRoom {
  /** DISK_FULL while new work is not to be begun, else null. */
  refusal(): Promise<FaultlineError | null>
  /** @throws {FaultlineError} DISK_FULL: not even the reply of a model could be kept. */
  requireForReply(): Promise<void>
}

/** For those who do not look. */
export const ENDLESS_ROOM: DiskRoom = { refusal: async () => null, requireForReply: async () => {} }
