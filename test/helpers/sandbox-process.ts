// A program of its own that runs one script in a sandbox: `node sandbox-process.ts '{"uid": …, "options": …, "script":
// …}'`. Prints the result as JSON; with `uid`, becomes that account first, as a server of an ordinary user has it.
import type { RunRequest, RunResult } from '../../src/sandbox/run.ts'
import { createSandbox, type SandboxState } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts'
import { SANDBOX_OPTIONS } from './sandbox-defaults.ts'

export interface SandboxProcessInput {
  uid?: number
  options: Partial<SandboxOptions> & { workspacesDir: string }
  workspace: string
  script: string
  request?: Pick<RunRequest, 'limits' | 'env' | 'readyWhen'>
}

export interface SandboxProcessOutput {
  state: SandboxState
  result: RunResult | null
  error: { code?: string; message: string } | null
  collected: string[]
}

async function runOnce({
  uid,
  options,
  workspace,
  script,
  request,
}: SandboxProcessInput): Promise<SandboxProcessOutput> {
  if (uid !== undefined) {
    process.setgroups?.([])
    process.setgid?.(uid)
    process.setuid?.(uid)
  }
  const sandbox = createSandbox({ ...SANDBOX_OPTIONS, ...options })
  const state = await sandbox.probe()
  try {
    const result = await sandbox.run({
      argv: ['/bin/bash', '-c', script],
      workspace,
      signal: new AbortController().signal,
      ...request,
    })
    const { files, skipped } = await sandbox.collect(workspace)
    const collected = [
      ...files.map(({ path }) => path),
      ...skipped.map(({ path, reason }) => `${path} (${reason})`),
    ].sort()
    await sandbox.remove(workspace)
    return { state, result, error: null, collected }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return { state, result: null, error: { code, message }, collected: [] }
  } finally {
    await sandbox.close()
  }
}

if (import.meta.main) {
  console.log(JSON.stringify(await runOnce(JSON.parse(process.argv[2] ?? '{}') as SandboxProcessInput)))
}
