import { spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { CLOSE_FILES, FD, GROUP, HOSTS, LAST_FD, PASSWD } from './command-line.ts'
import { untilClosed, type Ended, type Launched } from './launched.ts'
import { isAlive, killNow, knownProcess, untilGone, type KnownProcess } from '../limits/process-tree.ts'

const PATIENCE_MS = 2_000

/**
 * Starts a jail. It begins to run its program only when it is set up and this process knows its first process, so that
 * whatever runs can be ended. The jail ends with the thread that started it.
 *
 * @param argv - See `jailArgv`.
 */
export function startJail(argv: readonly string[], { seccomp, bridge }: { seccomp: Buffer; bridge: string }): Launched {
  const child = spawn('/bin/bash', ['-c', CLOSE_FILES, 'bash', ...argv], {
    env: {}, // what bwrap gets is shown in the jail as /proc/1/environ
    cwd: '/',
    detached: true,
    stdio: ['ignore', ...Array.from({ length: LAST_FD }, () => 'pipe' as const)],
  })
  const pipe = (fd: number) => child.stdio[fd] as Duplex
  const begun = Promise.withResolvers<boolean>()
  let first: KnownProcess | null = null
  let isReady = false
  let isUnwanted = false
  let gone = false

  for (const fd of Object.values(FD)) pipe(fd).on('error', () => {}) // whoever reads it may be gone already
  pipe(FD.seccomp).end(seccomp)
  pipe(FD.passwd).end(PASSWD)
  pipe(FD.group).end(GROUP)
  pipe(FD.hosts).end(HOSTS)
  pipe(FD.bridge).end(bridge)

  const letGo = () => {
    if (first === null || !isReady || isUnwanted || gone) return
    pipe(FD.gate).end('g')
    begun.resolve(true)
  }
  let status = ''
  pipe(FD.status).on('data', (chunk: Buffer) => {
    status = (status + chunk.toString('latin1')).slice(0, 4096)
    const pid = Number(/"child-pid": (\d+)/.exec(status)?.[1])
    if (first !== null || !(pid > 0)) return
    first = knownProcess(pid)
    if (isUnwanted) killFirst()
    else letGo()
  })
  pipe(FD.gate).once('data', () => {
    isReady = true
    letGo()
  })

  function killFirst(): void {
    if (first !== null && isAlive(first)) killNow(first.pid)
  }

  async function untilAllEnded(): Promise<Ended> {
    const ended = await untilClosed(child)
    gone = true
    begun.resolve(false)
    for (const fd of Object.values(FD)) pipe(fd).destroy()
    // bubblewrap goes when the program does, and what that left behind is ended only then. The kernel ends the first
    // process last.
    if (first !== null) await untilGone(first)
    return ended
  }

  return {
    stdout: pipe(1),
    stderr: pipe(2),
    begun: begun.promise,
    hasOwnNetwork: true,
    treeRoot: () => (gone ? null : (first?.pid ?? null)),
    kill() {
      if (isUnwanted || gone) return
      isUnwanted = true
      killFirst()
      // Killed before it has told of the first process, bubblewrap would leave that waiting for ever. It ends with the
      // first, or never began to work.
      const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      child.once('exit', () => clearTimeout(patience))
    },
    ended: untilAllEnded(),
  }
}
