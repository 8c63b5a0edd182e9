import type { NodeLoad } from '../core/node.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listener.ts'
import { Forwarder, type ForwardResult } from './forwarding/forwarder.ts'
import { NodeRegistry, type OwnNode } from './nodes/registry.ts'

/** What a node is among the others. */
export interface Cluster {
  registry: NodeRegistry
  /** Null where there is no CLUSTER_SECRET: every node answers what it is asked. */
  forwarder: Forwarder | null
  /** Whether this node can answer from the index of a project. */
  hasIndex: (projectName: string) => Promise<boolean>
  /** Ends what is under way; after `registry.leave`. */
  close(): Promise<void>
}

/** What a cluster is made of. */
export interface ClusterOptions {
  db: Pick<Database, 'query'>
  /** Tells nodes of each other at once; null: they look every two seconds. */
  listener: Pick<Listener, 'on' | 'notify'> | null
  own: OwnNode
  secret: string | null
  load: () => Promise<NodeLoad>
  hasIndex: (projectName: string) => Promise<boolean>
  onForwarded: (result: ForwardResult) => void
  onError: (error: unknown) => void
}

const CHANNEL = 'nodes'

/** Connects the parts; nothing is written before `registry.join`. */
export function openCluster(options: ClusterOptions): Cluster {
  const { db, listener, own, secret, load, hasIndex, onForwarded, onError } = options
  const tell = () => listener?.notify(CHANNEL, own.name)
  const registry = new NodeRegistry({ db, own, load, onError, tell })
  const endListening = listener?.on(CHANNEL, () => {
    registry.look() // reports itself
  })
  const forwarder = secret === null ? null : new Forwarder({ registry, secret, hasIndex, onResult: onForwarded })
  return {
    registry,
    forwarder,
    hasIndex,
    async close() {
      endListening?.()
      await forwarder?.close()
    },
  }
}
