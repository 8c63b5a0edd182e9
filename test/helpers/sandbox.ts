import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import type { SandboxProcessInput, SandboxProcessOutput } from './sandbox-process.ts'
import type { RunRequest, RunResult } from '../../src/sandbox/run.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts'
import { SANDBOX_OPTIONS } from './sandbox-defaults.ts'

/**
 * Set where the tests of the jail have to run: there a machine without one is a failure, not a reason to leave them
 * out.
 */
const REQUIRED = process.env.FAULTLINE_REQUIRE_SANDBOX === '1'

function lacking(): string | null {
  if (!existsSync('/usr/bin/bwrap')) return 'bubblewrap is not installed (apt-get install bubblewrap)'
  const become =
    process.getuid?.() === 0
      ? ['/usr/bin/setpriv', '--reuid', '64001', '--regid', '64001', '--clear-groups', '--']
      : ['/usr/bin/env']
  try {
    execFileSync(
      become[0] ?? '',
      [...become.slice(1), '/usr/bin/bwrap', '--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '/usr/bin/true'],
      { stdio: 'ignore' },
    )
    return null
  } catch {
    return 'bubblewrap cannot make namespaces on this machine'
  }
}

const lack = lacking()

/** For the options of tests that run programs in a jail. */
export const inJail: { skip?: string } = lack === null || REQUIRED ? {} : { skip: lack }

export const NOBODY = 65534
/** For tests that become another user and run programs in a jail. */
export const asRoot = process.getuid?.() === 0 ? inJail : { skip: 'only root can become another user' }

/** Leaves a test out where programs cannot be run, or where something else that it needs is missing. */
export function needing(jail: { skip?: string }, isThere: boolean, lacking: string): { skip?: string } {
  return jail.skip !== undefined || isThere ? jail : { skip: lacking }
}

export const SANDBOX_PROGRAM = join(import.meta.dirname, 'sandbox-process.ts')

/** Runs a script in a sandbox of a process of its own. */
export async function runIn(input: SandboxProcessInput): Promise<SandboxProcessOutput> {
  const { stdout } = await promisify(execFile)(process.execPath, [SANDBOX_PROGRAM, JSON.stringify(input)])
  return JSON.parse(stdout) as SandboxProcessOutput
}

/** A folder on whose way another account may pass: the one of the tests may lie below a closed home. */
export function openFolder(t: Test): string {
  const folder = mkdtempSync('/var/tmp/faultline-sandbox-')
  execFileSync('chmod', ['0711', folder])
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A folder for workspaces that an account owns. */
export function folderOf(t: Test, uid: number): string {
  const folder = openFolder(t)
  chownSync(folder, uid, uid)
  return folder
}

interface TestSandbox {
  sandbox: Sandbox
  workspacesDir: string
  /** A workspace that exists. */
  workspace: string
  /** Runs a shell script in it. */
  bash(script: string, request?: Partial<RunRequest>): Promise<RunResult>
  run(argv: readonly string[], request?: Partial<RunRequest>): Promise<RunResult>
}

/** A sandbox over a folder of the test; closed, and its workspaces deleted, in the teardown. */
export async function testSandbox(t: Test, options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const workspacesDir = openFolder(t)
  const sandbox = createSandbox({ ...SANDBOX_OPTIONS, memoryMb: 1024, workspacesDir, ...options })
  const workspace = join(workspacesDir, 'job', 'work')
  t.teardown(async () => {
    await sandbox.close()
    await sandbox.remove(join(workspacesDir, 'job'))
  })
  const run = (argv: readonly string[], request: Partial<RunRequest> = {}) =>
    sandbox.run({ argv, workspace, signal: new AbortController().signal, ...request })
  return {
    sandbox,
    workspacesDir,
    workspace,
    run,
    bash: (script, request) => run(['/bin/bash', '-c', script], request),
  }
}
