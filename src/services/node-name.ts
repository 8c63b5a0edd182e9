import { nodeNameIn } from '../cluster/nodes/node-name.ts'
import type { Config } from '../config.ts'

/** What the other nodes know this one by: the name that it was given, or one of its own that stays. */
export const nodeNameOf = ({ node, dataDir }: Pick<Config, 'node' | 'dataDir'>): string =>
  node.name ?? nodeNameIn(dataDir)
