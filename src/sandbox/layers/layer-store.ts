import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FaultlineError } from '../../core/errors.ts'
import { isObject } from '../../core/is-object.ts'
import type { Layer } from '../run.ts'
import { moveAway } from '../workspace/remove.ts'

const run = promisify(execFile)

/** Layers lie here, a folder each, by their keys. */
const FOLDER = '.layers'
/** The folders of a layer: what lies over the files of a project, and what lies in HOME. */
export const PARTS = { workspace: 'workspace', home: 'home' } as const
const MANIFEST = 'manifest.json'
const KEY = /^[0-9a-f]{64}$/
/** A layer that was asked for so lately is about to be used. */
const ABOUT_TO_BE_USED_MS = 5 * 60_000
const MEASURE_LIMIT_MS = 120_000

/** How much a layer holds. */
export interface LayerSize {
  /** Files and folders. */
  entries: number
  bytes: number
}

interface Manifest extends LayerSize {
  version: 1
  /** Bytes of the files themselves, which no file system rounds. */
  contentBytes: number
}

interface LayerStoreOptions {
  workspacesDir: string
  /** Whether a run works on the layer. */
  isInUse: (key: string) => boolean
  /** Milliseconds; default: the clock. */
  now?: () => number
}

async function du(folder: string, unit: string): Promise<number> {
  const { stdout } = await run('/usr/bin/du', ['-scx', ...unit.split(' '), '--', PARTS.workspace, PARTS.home], {
    cwd: folder,
    env: {},
    timeout: MEASURE_LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  return Number(/^(\d+)\s+total$/m.exec(stdout)?.[1])
}

const measure = async (folder: string): Promise<Omit<Manifest, 'version'>> => ({
  entries: await du(folder, '--inodes'),
  bytes: await du(folder, '--block-size=1'),
  contentBytes: await du(folder, '--block-size=1 --apparent-size'),
})

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The manifest of a layer; null where there is none, or one that cannot be read. */
async function readManifest(folder: string): Promise<Manifest | null> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'))
    return isObject(read) && read.version === 1 ? (read as unknown as Manifest) : null
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null
    throw error
  }
}

/** The environments that were installed, each a folder that appears whole or not at all and is never changed. */
export class LayerStore {
  readonly #options: LayerStoreOptions
  readonly #root: string
  readonly #now: () => number
  /** Layers that this process has measured, or made. */
  readonly #whole = new Set<string>()
  readonly #openedAt = new Map<string, number>()

  constructor(options: LayerStoreOptions) {
    this.#options = options
    this.#root = join(options.workspacesDir, FOLDER)
    this.#now = options.now ?? Date.now
  }

  /** The folder of a layer. */
  folderOf({ key }: Layer): string {
    if (!KEY.test(key)) throw new Error('the key of a layer is a SHA-256')
    return join(this.#root, key)
  }

  /**
   * A layer that is there and whole; null where there is none. The first look at each measures it, and deletes a broken
   * one. One that was opened is kept for the next minutes.
   */
  async open(key: string): Promise<Layer | null> {
    const layer = { key }
    if (!(await this.#isWhole(layer))) {
      await this.#remove(key)
      return null
    }
    this.#openedAt.set(key, this.#now())
    await this.touch(layer)
    return layer
  }

  /** How much a layer holds; null where there is none. */
  async sizeOf(layer: Layer): Promise<LayerSize | null> {
    return await readManifest(this.folderOf(layer))
  }

  /** Marks a layer as used now. */
  async touch(layer: Layer): Promise<void> {
    const at = new Date(this.#now())
    await utimes(join(this.folderOf(layer), MANIFEST), at, at).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  /**
   * Makes a folder that holds both parts a layer. Where there is one of this key by now, that one stays. Others that
   * were used least lately go, until all together are within the limit.
   *
   * @throws {FaultlineError} ENVIRONMENT_FAILED: it alone is larger than the limit.
   */
  async keep(key: string, folder: string, limitBytes: number): Promise<LayerSize> {
    const layer = { key }
    const size = await measure(folder)
    if (size.bytes > limitBytes) {
      throw new FaultlineError(
        'ENVIRONMENT_FAILED',
        `What was installed takes ${size.bytes} bytes, more than all environments together may.`,
        'Raise ENVIRONMENTS_GB, or install less with checks.install.',
      )
    }
    await writeFile(join(folder, MANIFEST), JSON.stringify({ version: 1, ...size } satisfies Manifest), { mode: 0o600 })
    await mkdir(this.#root, { recursive: true, mode: 0o711 })
    await chmod(this.#root, 0o711) // the umask may have taken some of it
    await chmod(folder, 0o711)
    if (!(await this.#isWhole(layer))) {
      await this.#remove(key)
      await rename(folder, this.folderOf(layer))
      this.#whole.add(key)
    }
    this.#openedAt.set(key, this.#now())
    await this.touch(layer)
    await this.#evict(limitBytes)
    return size
  }

  async #isWhole(layer: Layer): Promise<boolean> {
    const folder = this.folderOf(layer)
    const manifest = await readManifest(folder)
    if (manifest === null) return false
    if (this.#whole.has(layer.key)) return true
    const found = await measure(folder).catch(() => null) // a part of it is gone
    const isWhole = found?.entries === manifest.entries && found.contentBytes === manifest.contentBytes
    if (isWhole) this.#whole.add(layer.key)
    return isWhole
  }

  async #remove(key: string): Promise<void> {
    this.#whole.delete(key)
    this.#openedAt.delete(key)
    const deleteIt = await moveAway(this.#options.workspacesDir, this.folderOf({ key }))
    await deleteIt()
  }

  async #evict(limitBytes: number): Promise<void> {
    const layers = await this.#list()
    let total = layers.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { key, bytes } of layers.sort((a, b) => a.usedAt - b.usedAt)) {
      if (total <= limitBytes) return
      if (this.#isNeeded(key)) continue
      await this.#remove(key)
      total -= bytes
    }
  }

  #isNeeded(key: string): boolean {
    const openedAt = this.#openedAt.get(key)
    const isAboutToBe = openedAt !== undefined && this.#now() - openedAt < ABOUT_TO_BE_USED_MS
    return isAboutToBe || this.#options.isInUse(key)
  }

  async #list(): Promise<Array<{ key: string; bytes: number; usedAt: number }>> {
    const names = (await readdir(this.#root)).filter(name => KEY.test(name))
    return await Promise.all(
      names.map(async key => {
        const folder = this.folderOf({ key })
        const manifest = await readManifest(folder)
        const used = await stat(join(folder, MANIFEST)).catch(() => null)
        return { key, bytes: manifest?.bytes ?? 0, usedAt: used?.mtimeMs ?? 0 }
      }),
    )
  }
}
