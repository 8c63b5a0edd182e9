import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeepAliveClient } from '../keep-alive-client.ts'
import { timed } from '../measure.ts'
import type { ClusterSite } from './sites.ts'

/** What a node without anything took for its first answer, and what reading the same objects alone takes. */
interface Cold {
  answerMs: number
  againMs: number
  transferMs: number
  objects: number
  bytes: number
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())

const bytesOf = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + statSync(path).size, 0)

/** Bytes of all files. */
export const bytesBelow = (folder: string): number => bytesOf(filesBelow(folder))

/** The first answer of a node with empty folders, which no other node answers for. */
export async function measureCold(client: KeepAliveClient, cluster: ClusterSite, bodies: string[]): Promise<Cold> {
  const { url } = await cluster.restartCold()
  const [first = '', second = ''] = bodies
  const ask = async (body: string): Promise<void> => {
    const answer = await client.post(`${url}/resolve`, body)
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.toString('utf8', 0, 300)}`)
  }
  const { ms: answerMs } = await timed(() => ask(first))
  const { ms: againMs } = await timed(() => ask(second))
  const files = cluster.objects === null ? [] : filesBelow(cluster.objects)
  const { ms: transferMs } = await timed(async () => {
    for (const path of files) await readFile(path)
  })
  return { answerMs, againMs, transferMs, objects: files.length, bytes: bytesOf(files) }
}
