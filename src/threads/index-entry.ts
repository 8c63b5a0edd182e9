// A process of its own that makes indexes: what that took goes back to the machine when it ends.
import { serveParent } from './child-side.ts'

serveParent({ 'index-worker': async () => (await import('./index-worker.ts')).serveIndexing })
