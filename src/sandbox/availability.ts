import {
  closedWorkspaces,
  startProblem,
  SWITCHED_OFF,
  UNSAFE_AS_ROOT,
  UNSAFE_BEYOND_LOOPBACK,
  type SandboxProblem,
} from './jail/problem.ts'
import { closedFolder, type Account } from './jail/account.ts'
import type { Confinement } from './jail/confinement.ts'
import type { Outcome } from './run.ts'
import type { SandboxOptions } from './sandbox-options.ts'

const REMEMBER_GOOD_MS = 60_000
const REMEMBER_BAD_MS = 5_000

/** What determines whether programs can run here. */
export interface AvailabilityDeps {
  options: Pick<SandboxOptions, 'mode' | 'workspacesDir' | 'loopbackOnly'>
  confinement: Pick<Confinement, 'missing'>
  account: Account | null
  /** The server's own folders on the way to the workspaces, which it opens itself. */
  ownFolders: readonly string[]
  /** Runs a program that does nothing. */
  tryOut: () => Promise<Outcome>
}

interface Trial {
  problem: Promise<SandboxProblem | null>
  startedAt: number
  isGood: boolean
}

const rememberMs = ({ isGood }: Trial): number => (isGood ? REMEMBER_GOOD_MS : REMEMBER_BAD_MS)

/** Whether programs can run on this machine: tried out, and remembered for a while. */
export class Availability {
  readonly #deps: AvailabilityDeps
  #trial: Trial | null = null

  constructor(deps: AvailabilityDeps) {
    this.#deps = deps
  }

  /** A reason for running nothing that is known without starting anything; null when there is none. */
  refusal(): SandboxProblem | null {
    const { options, confinement, account, ownFolders } = this.#deps
    const uid = process.getuid?.()
    if (options.mode === 'none') return SWITCHED_OFF
    if (options.mode === 'unsafe-host' && uid === 0) return UNSAFE_AS_ROOT
    if (options.mode === 'unsafe-host' && !options.loopbackOnly) return UNSAFE_BEYOND_LOOPBACK
    if (closedFolder(`${options.workspacesDir}/job`, account, ownFolders) !== null) {
      return closedWorkspaces(account?.uid ?? uid)
    }
    return confinement.missing()
  }

  /** The reason why no program can run, after a trial run; null when programs can. */
  problem(): Promise<SandboxProblem | null> {
    const now = performance.now()
    if (this.#trial !== null && now - this.#trial.startedAt < rememberMs(this.#trial)) return this.#trial.problem
    const trial: Trial = { problem: this.#tryOut(), startedAt: now, isGood: true }
    this.#trial = trial
    trial.problem.then(
      problem => {
        trial.isGood = problem === null
      },
      () => {
        trial.isGood = false
      },
    )
    return trial.problem
  }

  /** Makes the next question start a trial run again. */
  forget(): void {
    this.#trial = null
  }

  /** Resolves when no trial run is under way; never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#trial?.problem])
  }

  async #tryOut(): Promise<SandboxProblem | null> {
    const refused = this.refusal()
    if (refused !== null) return refused
    const { began, exitCode, timedOut, stderr } = await this.#deps.tryOut()
    if (began && exitCode === 0) return null
    return startProblem(timedOut ? 'it took too long' : stderr)
  }
}
