import { spawn, type ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { requirePipes } from '../../core/open-files.ts'
import { BEGIN, FD, GROUP, HOSTS, LAST_FD } from './command-line.ts'
import { untilClosed, type Ended, type Launched } from './launched.ts'
import type { MemoryGroup } from './memory-groups.ts'
import { isAlive, killNow, knownProcess, untilGone, type KnownProcess } from '../limits/process-tree.ts'

const PATIENCE_MS = 2_000
const CHILD_PID = /"child-pid": (\d+)/

/** What a jail gets beside its command. */
interface JailInput {
  /** The program of its system call filter. */
  seccomp: Buffer
  /** The jail's /etc/passwd. */
  passwd: string
  /** The text of the program that connects it to the registry proxy. */
  bridge: string
  /** The control group that limits its memory; null where there is none. */
  group: MemoryGroup | null
}

/** A running jail; see `startJail`. */
class Jail implements Launched {
  readonly hasOwnNetwork = true
  readonly stdout: Duplex
  readonly stderr: Duplex
  readonly begun: Promise<boolean>
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #group: MemoryGroup | null
  readonly #begun = Promise.withResolvers<boolean>()
  #first: KnownProcess | null = null
  #isReady = false
  #isUnwanted = false
  #isGone = false

  constructor(child: ChildProcess, { seccomp, passwd, bridge, group }: JailInput) {
    this.#child = child
    this.#group = group
    this.stdout = this.#pipe(1)
    this.stderr = this.#pipe(2)
    this.begun = this.#begun.promise
    for (const fd of Object.values(FD)) this.#pipe(fd).on('error', () => {}) // its reader may be gone already
    this.#pipe(FD.seccomp).end(seccomp)
    this.#pipe(FD.passwd).end(passwd)
    this.#pipe(FD.group).end(GROUP)
    this.#pipe(FD.hosts).end(HOSTS)
    this.#pipe(FD.bridge).end(bridge)
    this.#readStatus()
    this.#pipe(FD.gate).once('data', () => {
      this.#isReady = true
      this.#openGate()
    })
    this.ended = this.#untilAllEnded()
  }

  treeRoot(): number | null {
    if (this.#isGone) return null
    return this.#first?.pid ?? null
  }

  ranOutOfMemory(): boolean {
    return this.#group !== null && this.#group.endedProcesses() > 0
  }

  kill(): void {
    if (this.#isUnwanted || this.#isGone) return
    this.#isUnwanted = true
    this.#killFirst()
    // Killed before it has named the first process, bubblewrap would leave that waiting for ever. It ends with the
    // first, or never began to work.
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS)
    this.#child.once('exit', () => clearTimeout(patience))
  }

  #pipe(fd: number): Duplex {
    return this.#child.stdio[fd] as Duplex
  }

  /** Waits for bubblewrap to name the jail's first process. */
  #readStatus(): void {
    let status = ''
    this.#pipe(FD.status).on('data', (chunk: Buffer) => {
      status = (status + chunk.toString('latin1')).slice(0, 4096)
      const pid = Number(CHILD_PID.exec(status)?.[1])
      if (this.#first !== null || !(pid > 0)) return
      this.#first = knownProcess(pid)
      if (this.#isUnwanted) this.#killFirst()
      else this.#openGate()
    })
  }

  /** Lets the program begin once it is set up and can be ended. */
  #openGate(): void {
    if (this.#first === null || !this.#isReady || this.#isUnwanted || this.#isGone) return
    this.#pipe(FD.gate).end('g')
    this.#begun.resolve(true)
  }

  #killFirst(): void {
    if (this.#first !== null && isAlive(this.#first)) killNow(this.#first.pid)
  }

  async #untilAllEnded(): Promise<Ended> {
    const ended = await untilClosed(this.#child)
    this.#isGone = true
    this.#begun.resolve(false)
    for (const fd of Object.values(FD)) this.#pipe(fd).destroy()
    // bubblewrap goes when the program does, and what that left behind is ended only then. The kernel ends the first
    // process last.
    if (this.#first !== null) await untilGone(this.#first)
    return ended
  }
}

/**
 * Starts a jail. It runs its program only when it is set up and this process knows its first process, so that
 * everything in it can be ended. The jail ends with the process that started it.
 *
 * @param argv - See `jailArgv`.
 */
export function startJail(argv: readonly string[], input: JailInput): Launched {
  const child = spawn('/bin/bash', ['-c', BEGIN, 'bash', input.group?.folder ?? '', ...argv], {
    env: {}, // what bwrap gets is shown in the jail as /proc/1/environ
    cwd: '/',
    detached: true,
    stdio: ['ignore', ...Array.from({ length: LAST_FD }, () => 'pipe' as const)],
  })
  requirePipes(child)
  return new Jail(child, input)
}
