import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { CHILD_ENV } from './child-env.ts'
import { eventually } from './processes.ts'

const SERVER = fileURLToPath(new URL('../../src/server.ts', import.meta.url))
/** The server with fewer threads. */
export const INLINE_SERVER = fileURLToPath(new URL('./inline-server.ts', import.meta.url))

export interface ServerProcess {
  url: string
  child: ChildProcess
  /** Sends the signal and resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Starts the real server in a process of its own, on a free port; resolves when it listens. */
export async function startServerProcess(
  root: string,
  env: Record<string, string> = {},
  entry = SERVER,
  { openFiles, flags = [] }: { openFiles?: number; flags?: readonly string[] } = {},
): Promise<ServerProcess> {
  mkdirSync(join(root, 'repos'), { recursive: true })
  const program = [process.execPath, ...flags, entry]
  const limited =
    openFiles === undefined ? program : ['/bin/bash', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'bash', ...program]
  const child = spawn(limited[0] ?? '', limited.slice(1), {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...CHILD_ENV,
      HOME: root,
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATA_DIR: join(root, 'data'),
      VECTOR_STORE_DIR: join(root, 'vector_store'),
      CLONED_REPOS_DIR: join(root, 'cloned_repos'),
      ALLOW_LOCAL_REPOS: join(root, 'repos'),
      ...env,
    },
  })
  const exited = once(child, 'exit')
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const url = /listens on (\S+);/.exec(line)?.[1]
    if (url === undefined) continue
    child.stderr.resume()
    return {
      url,
      child,
      async end(signal) {
        child.kill(signal)
        await exited
      },
    }
  }
  throw new Error(`the server did not start: ${said.join('\n')}`)
}

/**
 * Command lines of live processes that name the folder and do not belong to the live server: what a dead one left
 * running.
 */
export function orphans(folder: string, livePid: number): string[] {
  const processes = new Map(
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(pid => {
        try {
          const status = readFileSync(`/proc/${pid}/status`, 'utf8')
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
          return [
            [
              Number(pid),
              {
                command,
                state: /^State:\s+(\S)/m.exec(status)?.[1],
                parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]),
              },
            ],
          ] as const
        } catch {
          return [] // it ended while we looked
        }
      }),
  )
  const belongsToLive = (pid: number): boolean =>
    pid === livePid || (pid > 1 && belongsToLive(processes.get(pid)?.parent ?? 0))
  return [...processes]
    .filter(
      ([pid, { command, state }]) =>
        pid !== process.pid && state !== 'Z' && command.includes(folder) && !belongsToLive(pid),
    )
    .map(([, { command }]) => command)
}

/**
 * The same once they had time to end: a killed server's guards notice its death a moment later, on a busy machine some
 * seconds.
 */
export async function lastingOrphans(folder: string, livePid: number): Promise<string[]> {
  await eventually(() => orphans(folder, livePid).length === 0)
  return orphans(folder, livePid)
}
