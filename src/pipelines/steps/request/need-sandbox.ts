import { FaultlineError } from '../../../core/errors.ts'

/** What asking for a sandbox needs. */
export interface SandboxProbe {
  probeSandbox: () => Promise<{ available: boolean; reason: string | null; fix: string | null }>
}

/** For requests whose jobs run programs. @throws {FaultlineError} SANDBOX_UNAVAILABLE */
export async function needSandbox({ probeSandbox }: SandboxProbe): Promise<void> {
  const { available, reason, fix } = await probeSandbox()
  if (available) return
  throw new FaultlineError(
    'SANDBOX_UNAVAILABLE',
    `Programs cannot be run: ${reason ?? 'there is no sandbox'}`,
    fix ?? undefined,
  )
}
