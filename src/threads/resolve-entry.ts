// A process of its own that answers from indexes: what that took goes back to the machine when it ends.
import { growSlowly } from '../core/heap-growth.ts'
import { serveParent } from './child-side.ts'
import { endWithParent } from './end-with-parent.ts'
import { servesTasks } from './task.ts'

growSlowly('helper')
endWithParent()
serveParent({ 'resolve-worker': async () => servesTasks(() => import('./resolve-worker.ts')) })
