import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Some hundred changes of jobs fit into it. */
const RESERVE_BYTES = 8 * 1_048_576

/** What a reserve is made with, other than the defaults, for tests. */
interface ReserveOptions {
  bytes?: number
  /** Bytes that are free where the folder lies. */
  freeBytes?: (folder: string) => number
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * A file that only takes room. On a full disk it is given up, so that what frees room can be written: the end of a job
 * and its deletion. Random bytes, because a file system may compress others away.
 */
export class SpaceReserve {
  readonly #file: string
  readonly #bytes: number
  readonly #freeBytes: (folder: string) => number
  #isHeld = false

  /** @param file - On the disk that the room is for. */
  constructor(file: string, { bytes = RESERVE_BYTES, freeBytes = freeBytesOf }: ReserveOptions = {}) {
    this.#file = file
    this.#bytes = bytes
    this.#freeBytes = freeBytes
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Sets the room aside, again after it was given up; false while too little is free. */
  hold(): boolean {
    this.#isHeld ||= this.#isThere() || this.#make()
    return this.#isHeld
  }

  /** Frees the room; false where none was set aside. */
  giveUp(): boolean {
    if (!this.#isHeld) return false
    this.#isHeld = false
    rmSync(this.#file, { force: true, recursive: true })
    return true
  }

  #isThere(): boolean {
    try {
      return statSync(this.#file).size === this.#bytes
    } catch {
      return false
    }
  }

  #make(): boolean {
    try {
      if (this.#freeBytes(dirname(this.#file)) < 2 * this.#bytes) return false
      writeFileSync(this.#file, randomBytes(this.#bytes), { mode: 0o600 })
      return true
    } catch {
      rmSync(this.#file, { force: true, recursive: true }) // cut off, or not to be written
      return false
    }
  }
}
