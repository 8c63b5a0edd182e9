// A process of its own that starts git and the programs of the sandbox. It holds no index, so that few page tables have
// to be copied for each of them.
import { serveParent } from './child-side.ts'

serveParent({
  'git-worker': async () => (await import('./git-worker.ts')).serveGit,
  'sandbox-worker': async () => (await import('./sandbox-worker.ts')).serveSandbox,
})
