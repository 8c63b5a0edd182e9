import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { ofProcess, processTree } from '../limits/process-tree.ts'

/** Columns of /proc/PID/net/tcp: the local address and port, the state, and the number of the socket. */
const [LOCAL, STATE, INODE] = [1, 3, 9]
const LISTEN = '0A'

function listeningSockets(pid: number, port: number): Set<string> {
  const atPort = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const found = new Set<string>()
  for (const table of ['tcp', 'tcp6']) {
    // no tcp6 where there is no IPv6
    const lines = ofProcess(() => readFileSync(`/proc/${pid}/net/${table}`, 'latin1'), '').split('\n')
    for (const line of lines) {
      const columns = line.trim().split(/\s+/)
      if (columns[STATE] === LISTEN && columns[LOCAL]?.endsWith(atPort) === true) found.add(columns[INODE] ?? '')
    }
  }
  return found
}

function openSockets(pid: number): string[] {
  return ofProcess(() => readdirSync(`/proc/${pid}/fd`), []).flatMap(fd => {
    const link = ofProcess(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '')
    return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []
  })
}

/**
 * Whether a program listens at a TCP port, on any address. Connects to nothing: reads the kernel's list for the network
 * of the process. Synchronous.
 *
 * @param hasOwnNetwork - Whether everything that listens there is the program's; else its own sockets are looked for.
 */
export function isListening(root: number, port: number, hasOwnNetwork: boolean): boolean {
  const sockets = listeningSockets(root, port)
  if (hasOwnNetwork || sockets.size === 0) return sockets.size > 0
  return processTree(root).some(pid => openSockets(pid).some(socket => sockets.has(socket)))
}
