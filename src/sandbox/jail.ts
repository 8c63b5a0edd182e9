import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { CLOSE_FILES, FD, GROUP, HOSTS, LAST_FD, PASSWD } from './command-line.ts'
import { untilClosed, type Launched } from './launched.ts'

/**
 * Starts a jail. It begins to run its program only when it is set up and this process knows its first process, so that whatever runs
 * can be ended. Must be called in the main thread: the jail ends with the thread that started it.
 *
 * @param argv - See `jailArgv`.
 */
export function startJail (argv: readonly string[], { seccomp, bridge }: { seccomp: Buffer, bridge: string }): Launched {
  const child = spawn('/bin/bash', ['-c', CLOSE_FILES, 'bash', ...argv], {
    env: {}, // what bwrap gets is shown in the jail as /proc/1/environ
    cwd: '/',
    detached: true,
    stdio: ['ignore', ...Array.from({ length: LAST_FD }, () => 'pipe' as const)],
  })
  const pipe = (fd: number) => child.stdio[fd] as Duplex
  const begun = Promise.withResolvers<boolean>()
  let first: number | null = null
  let isReady = false
  let gone = false

  for (const fd of Object.values(FD)) pipe(fd).on('error', () => {}) // whoever reads it may be gone already
  pipe(FD.seccomp).end(seccomp)
  pipe(FD.passwd).end(PASSWD)
  pipe(FD.group).end(GROUP)
  pipe(FD.hosts).end(HOSTS)
  pipe(FD.bridge).end(bridge)

  const letGo = () => {
    if (first === null || !isReady || gone) return
    pipe(FD.gate).end('g')
    begun.resolve(true)
  }
  let status = ''
  pipe(FD.status).on('data', (chunk: Buffer) => {
    status = (status + chunk.toString('latin1')).slice(0, 4096)
    const pid = Number(/"child-pid": (\d+)/.exec(status)?.[1])
    if (first !== null || !(pid > 0)) return
    first = pid
    letGo()
  })
  pipe(FD.gate).once('data', () => {
    isReady = true
    letGo()
  })

  return {
    stdout: pipe(1),
    stderr: pipe(2),
    begun: begun.promise,
    treeRoot: () => gone ? null : first,
    kill () {
      if (gone) return
      if (first !== null && parentOf(first) === child.pid) process.kill(first, 'SIGKILL')
      child.kill('SIGKILL')
    },
    ended: untilClosed(child).finally(() => {
      gone = true
      begun.resolve(false)
      for (const fd of Object.values(FD)) pipe(fd).destroy()
    }),
  }
}

/** Its number may belong to another process by now. */
function parentOf (pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
  } catch {
    return null
  }
}
