import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { problemOf } from './answer.ts'
import { RouteProblem, type Caller } from './caller.ts'

/** Does what was asked of a resource or a task. @throws {ProtocolError} */
export type Asked = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Errors of what is no tool, as errors of the protocol with our code and cure.
 *
 * @param onError - Hears of bugs, which no answer shows.
 */
export function createAsked({ signal }: Pick<Caller, 'signal'>, onError: (error: unknown) => void): Asked {
  return async work => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      const isBug = !(error instanceof RouteProblem)
      if (isBug && !signal.aborted) onError(error)
      const { code, message, fix } = problemOf(error)
      const text = `${code}: ${message}${fix === undefined ? '' : ` ${fix}`}`
      const kind = isBug ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
      throw new ProtocolError(kind, text, { code, detail: message, fix: fix ?? null })
    }
  }
}
