import { stat } from 'node:fs/promises'
import { checksumOf, type FileChecksum } from './durable-files.ts'
import { isMissing } from './layout.ts'

/** About 200 bytes each. */
const MAX_REMEMBERED = 10_000

/** `missing` and `damaged` as it was found, without judging why. */
type FileCondition = 'whole' | 'damaged' | 'missing'

/**
 * Compares published files with their checksums, and remembers those that it has read: generations share most of their
 * files by hard links, and published files never change.
 */
export class ChecksumMemory {
  readonly #known = new Map<string, string>()
  readonly #capacity: number

  constructor(capacity = MAX_REMEMBERED) {
    this.#capacity = capacity
  }

  async condition(path: string, { bytes, sha256 }: FileChecksum): Promise<FileCondition> {
    try {
      const { ino, dev, size, mtimeNs } = await stat(path, { bigint: true })
      if (Number(size) !== bytes) return 'damaged'
      const key = `${dev}:${ino}:${mtimeNs}:${size}`
      const found = this.#known.get(key) ?? (await checksumOf(path)).sha256
      this.#remember(key, found)
      return found === sha256 ? 'whole' : 'damaged'
    } catch (error) {
      return isMissing(error) ? 'missing' : 'damaged'
    }
  }

  /** Remembers a digest; when there are too many, forgets the one least recently used. */
  #remember(key: string, digest: string): void {
    this.#known.delete(key)
    this.#known.set(key, digest)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.#capacity && oldest !== undefined) this.#known.delete(oldest)
  }
}
