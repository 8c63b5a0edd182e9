import { randomBytes, timingSafeEqual } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { isLoopback, type Config } from '../config.ts'
import { isObject } from '../core/is-object.ts'
import { readOwner, type FolderOwner } from '../jobs/lock-owner.ts'
import { isLocked, ownerText, proofOf } from '../jobs/lock.ts'

type DataFolders = Pick<Config, 'dataDir' | 'vectorStoreDir' | 'clonedReposDir'>

const CHALLENGE_BYTES = 24
/** A server that has more to do than to answer this is no help to a person who waits. */
const ANSWER_MS = 3_000
const MAX_ANSWER_BYTES = 4_096

/** The process that says it holds all three folders: one that shares only some of them has other data. */
function commonOwner({ dataDir, vectorStoreDir, clonedReposDir }: DataFolders): FolderOwner | null {
  const owner = readOwner(dataDir)
  const others = [vectorStoreDir, clonedReposDir].map(folder => readOwner(folder)?.secret)
  return owner !== null && others.every(secret => secret === owner.secret) ? owner : null
}

/** Whether the address is one of this machine, so that what is sent there does not leave it. */
function isHere(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return isLoopback(host) || own.some(({ address }) => address === host)
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Asks whoever listens there for something that only the holder of the folders knows. */
async function proves(url: URL, secret: string, signal: AbortSignal): Promise<boolean> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('hex')
  const asked = new URL(`/health?challenge=${challenge}`, url)
  const response = await fetch(asked, { redirect: 'error', signal, headers: { accept: 'application/json' } })
  const answer: unknown = JSON.parse(await textOf(response))
  const proof = isObject(answer) && typeof answer.proof === 'string' ? Buffer.from(answer.proof) : Buffer.alloc(0)
  const expected = Buffer.from(proofOf(secret, challenge))
  return proof.length === expected.length && timingSafeEqual(proof, expected)
}

/**
 * The URL of the server that holds the data folders now; null where there is none. What stands in the folders may be
 * of a server that was killed, and another program may listen there by now: nothing but a challenge is sent before it
 * was answered with the secret of the folders, and nothing at all to another machine.
 */
export async function findRunningServer(config: DataFolders, signal?: AbortSignal): Promise<string | null> {
  const owner = commonOwner(config)
  if (owner === null || owner.url === null) return null
  const url = new URL(owner.url)
  if (!isHere(url)) return null
  const late = AbortSignal.timeout(ANSWER_MS)
  try {
    const isOurs = await proves(url, owner.secret, signal === undefined ? late : AbortSignal.any([signal, late]))
    return isOurs ? url.origin : null
  } catch {
    signal?.throwIfAborted()
    return null // nobody answers, or somebody else
  }
}

/** Whether a process holds the data folder: without one no job goes on. */
export const isHeld = ({ dataDir }: Pick<DataFolders, 'dataDir'>): boolean => isLocked(dataDir)

/** The process that holds the data folder, in the words of a sentence; null where none does or it does not say. */
export function holderOf({ dataDir }: Pick<DataFolders, 'dataDir'>): string | null {
  const owner = isLocked(dataDir) ? readOwner(dataDir) : null
  return owner === null ? null : ownerText(owner)
}
