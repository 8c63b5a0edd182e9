import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { FaultlineError } from '../core/errors.ts'
import { problemMessage } from './plugins/problems.ts'

/** More would only wait for the processors. */
const MOST = 1000
const LEAST = 16
/** Files that the process has open without any request: threads, stores, indexes, locks, its log. */
const OWN_FILES = 96
/** Files of a job under way: pipes to git or a jail, an index that is written. */
const FILES_OF_A_JOB = 8
/** How long a refused client may take to read that. */
const REFUSAL_MS = 1000
/** Share of the connections that may be open before they are closed after each answer, so that others get a turn. */
const CROWDED_SHARE = 0.75

/**
 * How many connections a server holds at once: half of the files that it does not need itself, because requests open
 * files, too (an index, a connection to a model).
 *
 * @throws {FaultlineError} CONFIG_INVALID when the limit of open files is too low to serve anybody.
 */
export function connectionsFor(openFiles: number, { jobsConcurrency }: { jobsConcurrency: number }): number {
  const own = OWN_FILES + FILES_OF_A_JOB * jobsConcurrency
  const connections = Math.min(MOST, Math.floor((openFiles - own) / 2))
  if (connections >= LEAST) return connections
  throw new FaultlineError(
    'CONFIG_INVALID',
    `This process may open ${openFiles} files at once, and needs ${own + 2 * LEAST} with ` +
      `JOBS_CONCURRENCY=${jobsConcurrency}.`,
    'Raise the limit (ulimit -n 4096, or LimitNOFILE=4096 in a unit of systemd), or lower JOBS_CONCURRENCY.',
  )
}

/** What the answers of a server have to know of its connections. */
export interface Connections {
  /** Whether a connection is to be closed after its answer, so that others get a turn. */
  isCrowded(): boolean
}

const REFUSED = {
  status: 503,
  code: 'OVERLOADED',
  detail: 'The server holds as many connections as it may.',
  fix: 'Send the request again in a few seconds.',
} as const

/** Answers 503 without looking at the request, which is read: left unread it would make the end a reset. */
function refuse(socket: Socket, refusalMs: number): void {
  const limit = setTimeout(() => socket.destroy(), refusalMs)
  socket.once('close', () => clearTimeout(limit))
  socket.resume().end(problemMessage(REFUSED))
}

/**
 * Keeps a server to a number of connections: one more closes those that wait for a next request, and is refused with
 * 503 when none does. So many refusals may be under way; what comes beside them is closed at once, and may lose its 503
 * to a reset. Without this a server ends when no further file can be opened.
 */
export function limitConnections(
  server: Server,
  { connections, refusalMs = REFUSAL_MS }: { connections: number; refusalMs?: number },
): Connections {
  const [serve] = server.listeners('connection')
  if (serve === undefined) throw new Error('a server of HTTP listens to its connections')
  const open = new Set<Socket>()
  const refused = new Set<Socket>()
  const most = { open: connections, refused: Math.ceil(connections / 2) }
  const keep = (sockets: Set<Socket>, socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const openNow = () => [...open].filter(socket => !socket.destroyed).length // some are not told to be closed yet

  function hasRoom(): boolean {
    if (open.size < most.open || openNow() < most.open) return true
    server.closeIdleConnections()
    return openNow() < most.open
  }

  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    if (hasRoom()) {
      keep(open, socket)
      serve.call(server, socket)
      return
    }
    socket.on('error', () => {}) // it may have gone already
    if (refused.size < most.refused) {
      keep(refused, socket)
      refuse(socket, refusalMs)
    } else {
      socket.write(problemMessage(REFUSED))
      socket.destroy()
    }
  })
  return { isCrowded: () => open.size > most.open * CROWDED_SHARE }
}
