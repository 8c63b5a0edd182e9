import type { DatabaseSync } from 'node:sqlite'
import { isFullDisk } from '../../../core/full-disk.ts'
import type { SpaceReserve } from '../space-reserve.ts'
import { databaseFull, quickTransaction, transaction } from './database.ts'

/** The writes to a job database, each all or nothing. Not reentrant. All of them throw DISK_FULL. */
export class Transactions {
  readonly #db: DatabaseSync
  readonly #reserve: SpaceReserve | null

  /** @param reserve - Room for `vital` writes on the disk of the database; null for none. */
  constructor(db: DatabaseSync, reserve: SpaceReserve | null) {
    this.#db = db
    this.#reserve = reserve
  }

  /** What was written is on the disk. */
  durable<T>(work: () => T): T {
    this.#needReserve()
    return transaction(this.#db, work)
  }

  /** What was written may be lost in a power cut, not in a crash of this process. */
  quick<T>(work: () => T): T {
    this.#needReserve()
    return quickTransaction(this.#db, work)
  }

  /** As `durable`, for what ends, deletes or answers jobs or was paid for: it may use the room that was set aside. */
  vital<T>(work: () => T): T {
    try {
      return transaction(this.#db, work)
    } catch (error) {
      if (!isFullDisk(error) || this.#reserve?.giveUp() !== true) throw error
      return transaction(this.#db, work)
    }
  }

  /** What is not vital must not take the room that was given up for what is. */
  #needReserve(): void {
    if (this.#reserve?.hold() === false) throw databaseFull()
  }
}
