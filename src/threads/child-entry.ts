// A process of its own that starts git and the programs of the sandbox. It holds no index, so that few page tables have
// to be copied for each of them.
import { threadCaches } from '../core/cache-budget.ts'
import { serveParent } from './child-side.ts'
import type { GitWorkerData } from './git-worker.ts'
import type { Channel } from './rpc.ts'

serveParent({
  async 'git-worker'() {
    const { serveGit } = await import('./git-worker.ts')
    return (channel: Channel, data: GitWorkerData) => {
      if (data.cacheBytes !== undefined) threadCaches.resize(data.cacheBytes)
      serveGit(channel, data)
    }
  },
  'sandbox-worker': async () => (await import('./sandbox-worker.ts')).serveSandbox,
})
