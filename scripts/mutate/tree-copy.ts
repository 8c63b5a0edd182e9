import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** How the run of a test file ended. */
type TestOutcome = 'passed' | 'failed' | 'timed out'

function filesOf(folder: string): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  )
  return listed.split('\0').filter(path => path !== '' && existsSync(join(folder, path)))
}

/** The account that PostgreSQL runs as in tests of root gets through to its programs. */
const PASSABLE = 0o711

/** A copy of a working tree in a temporary folder, in which files may be broken and tests run. */
export class TreeCopy {
  readonly folder: string
  readonly #origin: string
  readonly #running = new Set<number>()

  constructor(origin: string) {
    this.#origin = origin
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-mutate-')))
    chmodSync(this.folder, PASSABLE)
    for (const path of filesOf(origin)) this.restore(path)
    const modules = join(origin, 'node_modules')
    if (existsSync(modules)) symlinkSync(realpathSync(modules), join(this.folder, 'node_modules'))
  }

  /** Changes the text of a file. */
  change(path: string, change: (text: string) => string): void {
    const file = join(this.folder, path)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }

  /** Restores the file as it is in the working tree. */
  restore(path: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    copyFileSync(join(this.#origin, path), join(this.folder, path))
  }

  /** Runs one test file up to its first failure. When the time is over, kills it and all that it started. */
  async run(test: string, timeoutMs: number): Promise<TestOutcome> {
    const child = spawn(process.execPath, [test], {
      cwd: this.folder,
      detached: true, // a group of its own, so that its children end with it
      stdio: 'ignore',
      env: {
        ...process.env,
        TAP_BAIL: '1',
        TAP_TIMEOUT: '0', // the limit is the one given here
        NODE_COMPILE_CACHE: join(this.folder, 'node_compile_cache'),
      },
    })
    const { pid } = child
    if (pid !== undefined) this.#running.add(pid)
    const { promise, resolve } = Promise.withResolvers<TestOutcome>()
    const timer = setTimeout(() => resolve('timed out'), timeoutMs)
    child.once('error', () => resolve('failed'))
    child.once('exit', code => resolve(code === 0 ? 'passed' : 'failed'))
    const outcome = await promise
    clearTimeout(timer)
    if (pid !== undefined) this.#kill(pid)
    return outcome
  }

  [Symbol.dispose](): void {
    for (const pid of [...this.#running]) this.#kill(pid)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  #kill(pid: number): void {
    this.#running.delete(pid)
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The whole group has ended already.
    }
  }
}
