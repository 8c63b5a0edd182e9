import type { CallFailure } from '../client/call-failure.ts'

/** Statuses by which servers refuse fields or abilities that they do not have. */
const REFUSALS: ReadonlySet<number | null> = new Set([400, 404, 405, 422, 501])
const SPEAKS_OF_TOOLS = /\btool|function.?call/i

/**
 * Remembers which models take no tools, as long as the process runs. Servers say so in many ways, and the same status
 * may mean anything else: one that speaks of tools is believed at once, another one when the same question is answered
 * without them.
 */
export class ToolSupport {
  readonly #without = new Set<string>()
  readonly #doubted = new Set<string>()

  /** Whether tools may be offered to a model. */
  isOffered(model: string): boolean {
    return !this.#without.has(model)
  }

  /**
   * Whether a failure of a request with tools may be a refusal of the tools.
   *
   * @param mayCall - False where the tools were named and none could be called: servers that know tools may not know
   * that, so it is not remembered.
   */
  isRefusal(model: string, { kind, status, message }: CallFailure, mayCall: boolean): boolean {
    if (kind === 'too_large') return false
    const speaks = SPEAKS_OF_TOOLS.test(message)
    // llama.cpp and others have a fault of their own where the template of the model has no tools
    const isRefusal = REFUSALS.has(status) || (status !== null && status >= 500 && speaks)
    if (isRefusal && mayCall) (speaks ? this.#without : this.#doubted).add(model)
    return isRefusal
  }

  /** What was refused with tools was answered without them. */
  answeredWithout(model: string): void {
    if (this.#doubted.delete(model)) this.#without.add(model)
  }
}
