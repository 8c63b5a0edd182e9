// A process of its own that makes indexes: what that took goes back to the machine when it ends.
import { growSlowly } from '../core/heap-growth.ts'
import { serveParent } from './child-side.ts'

growSlowly('helper')
serveParent({ 'index-worker': async () => (await import('./index-worker.ts')).serveIndexing })
