import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { FaultlineError } from '../../core/errors.ts'
import { requirePipes } from '../../core/open-files.ts'
import { BEGIN, FD, GATE, LAST_FD } from './command-line.ts'
import type { Confinement } from './confinement.ts'
import { programEnv } from './environment.ts'
import { untilClosed, type Launched } from './launched.ts'
import { limiterArgv, ownHardLimits } from '../limits/limits.ts'
import { copyLayer, mountLayer } from '../layers/mounts.ts'
import { killNow, processTree } from '../limits/process-tree.ts'
import type { SandboxOptions } from '../sandbox-options.ts'

const SETPRIV = '/usr/bin/setpriv'

function startOnHost(argv: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }): Launched {
  const child = spawn('/bin/bash', ['-c', BEGIN, 'bash', '', ...argv], {
    env,
    cwd,
    detached: true,
    stdio: ['ignore', ...Array.from({ length: LAST_FD }, () => 'pipe' as const)],
  })
  requirePipes(child)
  const pipe = (fd: number) => child.stdio[fd] as Duplex
  const begun = Promise.withResolvers<boolean>()
  let root = child.pid ?? null // null once everything has ended
  for (const fd of Object.values(FD)) pipe(fd).on('error', () => {})
  pipe(FD.gate).once('data', () => {
    pipe(FD.gate).end('g')
    begun.resolve(true)
  })
  const killTree = () => {
    if (child.pid !== undefined) for (const pid of [-child.pid, ...processTree(child.pid)]) killNow(pid)
  }
  return {
    stdout: pipe(1),
    stderr: pipe(2),
    begun: begun.promise,
    hasOwnNetwork: false,
    treeRoot: () => root,
    ranOutOfMemory: () => false,
    kill() {
      if (root !== null) killTree()
    },
    ended: untilClosed(child).finally(() => {
      root = null
      if (child.pid !== undefined) killNow(-child.pid) // what the program left in its group
      begun.resolve(false)
      for (const fd of Object.values(FD)) pipe(fd).destroy()
    }),
  }
}

/**
 * Runs programs as this user on this machine, with limits and an environment of their own, but without isolation: they
 * read and write what the user may, and reach every network. For a machine whose operator chose this.
 */
export function createUnsafeHost({
  onUnsafeRun,
  workspacesDir,
}: Pick<SandboxOptions, 'onUnsafeRun' | 'workspacesDir'>): Confinement {
  const hardLimits = ownHardLimits()

  /** HOME of a run on a layer, with the layer copied into it and into the workspace. */
  async function copiedHome(layer: string, workspace: string, held: AsyncDisposableStack): Promise<string> {
    const request = { workspacesDir, account: null, layer, workspace, overlay: false }
    const { home } = held.use(await mountLayer(request))
    await copyLayer(layer, { workspace, home })
    return home
  }

  return {
    isolates: false,
    limitsMemory: () => false,
    missing: () => null,
    close() {},
    mountsLayers: async () => false,
    async launch({ argv, env, workspace, limits, layer, home, network }) {
      if (typeof network === 'object') {
        throw new FaultlineError(
          'SANDBOX_UNAVAILABLE',
          'Without isolation nothing keeps a program from other hosts than the one that it may reach.',
          'Set SANDBOX=auto, with bubblewrap installed.',
        )
      }
      if (workspace !== null) onUnsafeRun?.()
      await using held = new AsyncDisposableStack()
      const ownHome = layer === null || workspace === null ? home : await copiedHome(layer, workspace, held)
      // it would count all processes of the user
      const limiter = limiterArgv(limits, hardLimits).filter(option => !option.startsWith('--nproc='))
      const withServer = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []
      const program = startOnHost([...withServer, ...limiter, '/bin/bash', '-c', GATE, 'bash', ...argv], {
        cwd: workspace ?? '/',
        env: programEnv({
          path: [dirname(process.execPath)],
          memoryMb: limits.memoryMb,
          env,
          home: ownHome ?? workspace ?? '/tmp',
        }),
      })
      const untilEnd = held.move()
      return {
        program,
        watched: ownHome === null ? [] : [ownHome],
        [Symbol.asyncDispose]: () => untilEnd.disposeAsync(),
      }
    },
  }
}
